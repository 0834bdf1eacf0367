"""The topics that the reader of a notebook has met so far; pictures offer only these. `minigrad.classroom.lesson` sets
them."""

gradients = True  #: whether `viz.forward` has a switch to gradients
