"""Run in each kernel that `minigrad lab` starts: until a lesson is opened, `check` is a reminder to open it.

After the kernel is restarted, the lesson is not loaded, and a cell that calls `check` would raise NameError.
"""

import builtins


class NotOpened:
    """A substitute for `check` until the notebook defines it: it accepts all calls, and its repr is a hint."""

    def __call__(self, *args, **kwargs):
        return self

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return self

    def __repr__(self):
        return "Run the first cell of this notebook, and the ones between; then this one again."


if __name__ == "__main__":
    builtins.check = NotOpened()  # type: ignore[attr-defined]
    del builtins, NotOpened  # this is the namespace of the student's notebook
