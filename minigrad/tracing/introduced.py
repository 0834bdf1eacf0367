"""The topics that the notebook has introduced so far, set by `minigrad.classroom.lesson`; pictures offer only these."""

gradients = True  #: whether `viz.forward` has a switch to gradients
