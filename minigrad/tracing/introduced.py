"""What the reader of a notebook has met so far: pictures offer no more. `minigrad.classroom.lesson` sets it."""

gradients = True  #: whether `viz.forward` has a switch to gradients
