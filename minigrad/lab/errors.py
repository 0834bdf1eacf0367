"""The error that the command line reports as a sentence."""


class CommandError(Exception):
    """A problem that the user of the command line can solve; the message is one sentence for them."""
