"""References to compare gradients with."""


def values(gradients):
    """The gradients as numbers or lists of numbers; None stays None."""
    return [None if g is None else g.value.tolist() for g in gradients]
