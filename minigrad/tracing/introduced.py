"""The topics that the reader of a notebook has met so far; pictures offer no others. `minigrad.classroom.lesson` sets
it."""

gradients = True  #: whether `viz.forward` has a switch to gradients
