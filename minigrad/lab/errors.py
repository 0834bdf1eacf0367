"""The error that a person at the command line can put right."""


class CommandError(Exception):
    """Something the person at the command line can put right; its text is one sentence for them."""
