"""Operations on a student's object as data, which the student's process can run any number of times."""

from __future__ import annotations

from typing import Any


class Expression:
    """A value that is computed anew for each recording: an object of the student's, and the steps applied to it.

    steps : ("call", args, kwargs), ("attribute", name) or ("item", key).
    """

    def __init__(self, session: Any, of: dict[str, Any], *steps: tuple[Any, ...]) -> None:
        self.session, self.of, self.steps = session, of, steps

    def then(self, *step: Any) -> Expression:
        """The expression with one more step."""
        return Expression(self.session, self.of, *self.steps, step)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        assert self.session.recorded is not None
        return self.session.recorded(self.then("call", args, kwargs))

    def tree(self) -> dict[str, Any]:
        """The expression as data."""
        found, write = self.of, self.session.given.write
        for step, what, *more in self.steps:
            if step == "call":
                kwargs = {k: write(v) for k, v in more[0].items()}
                found = {"call": found, "args": [*map(write, what)], "kwargs": kwargs}
            else:
                found = {step: what, "of": found}
        return found
