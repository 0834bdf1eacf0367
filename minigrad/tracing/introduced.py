"""The topics that the notebook has introduced, set by `minigrad.classroom.lesson`; pictures offer only these topics."""

gradients = True  #: whether `viz.forward` has a switch to gradients
