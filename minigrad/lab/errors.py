"""The error that the command line reports as a sentence."""


class CommandError(Exception):
    """A problem that the user of the command line can solve; the message is one sentence for the user."""


def missing(package: str | None) -> str:
    """Return the sentence about a missing package that assignments need.

    >>> missing("jupytext")
    'jupytext is missing from this Python; install what assignments need with: python -m pip install ...'
    """
    return (
        f"{package} is missing from this Python; install what assignments need with: "
        'python -m pip install "minigrad-kit[classroom]"'
    )
