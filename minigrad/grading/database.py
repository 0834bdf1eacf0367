"""An SQLite file with the tables of a gradebook: opened, checked, read and added to; its errors are sentences."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from .schema import APPLICATION, VERSION, statements

PATIENCE = 30.0  #: seconds to wait for another process that is writing


class GradebookError(Exception):
    """A gradebook cannot be read or written; the message says why, and what is kept."""


class Database:
    """The file at `path`, made if it is missing; a context manager.

    make : whether a missing file is made. Raises GradebookError if the file is something else, or of a newer version.
    """

    def __init__(self, path: Path | str, make: bool = True) -> None:
        self.path = Path(path)
        if not make and not self.path.is_file():
            raise GradebookError(f"there is no gradebook {self.path}; minigrad grade makes one")
        with self._said():
            self.connection = sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None)
            try:
                self._check()
            except BaseException:
                self.connection.close()
                raise

    def _check(self) -> None:
        """Make the tables in an empty file; refuse any other file that is not a gradebook of this version."""
        version, application, tables = self._marks()
        if application != APPLICATION and (version or tables):
            raise GradebookError(f"{self.path} is a database of another program; choose another file")
        if version > VERSION:
            raise GradebookError(
                f"{self.path} was written by a newer minigrad (its tables have version {version}, known is {VERSION}); "
                "install the newer one. Nothing was changed."
            )
        self.connection.execute("PRAGMA journal_mode = WAL")
        self.connection.execute("PRAGMA synchronous = NORMAL")
        with self._transaction():
            if not self._marks()[2]:  # another process may have made them in the meantime
                for statement in _split(statements()):
                    self.connection.execute(statement)

    def _marks(self) -> tuple[int, int, int]:
        queries = ("PRAGMA user_version", "PRAGMA application_id", "SELECT count(*) FROM sqlite_master")
        version, application, tables = (self.connection.execute(query).fetchone()[0] for query in queries)
        return version, application, tables

    def __enter__(self) -> Any:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self.connection.close()

    def rows(self, query: str, *values: Any) -> list[Any]:
        """The rows of a query, as tuples."""
        with self._said():
            return self.connection.execute(query, values).fetchall()

    def add(self, table: str, *rows: Mapping[str, Any]) -> None:
        """Add all rows or none, each with its values by the names of their columns, and the time as `at`."""
        with self._said(), self._transaction():
            for row in rows:
                names = ", ".join(row)
                query = f"INSERT INTO {table} ({names}, at) VALUES ({'?, ' * len(row)}?)"
                self.connection.execute(query, (*row.values(), time.time()))

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.connection.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                self.connection.execute("ROLLBACK")
            raise

    @contextlib.contextmanager
    def _said(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as problem:
            raise GradebookError(f"{self.path}: {_sentence(str(problem))}") from problem


def _sentence(text: str) -> str:
    """The sentence for an error of SQLite."""
    if "full" in text:
        return "the disk is full. What was graded before is kept; make room and run the command again."
    if "disk I/O" in text:
        return (
            "it could not be written: the disk is full or damaged, or files may not be so large here. "
            "What was graded before is kept; make room and run the command again."
        )
    if "locked" in text or "busy" in text:
        return "another process is writing to it; run the command again when that has ended"
    if "not a database" in text or "malformed" in text:
        return "it is no gradebook, or damaged; choose another file, or a copy from before"
    if "readonly" in text or "unable to open" in text:
        return "it cannot be written there; choose a folder of your own"
    return text


def _split(script: str) -> Iterator[str]:
    """The statements of a script, one by one."""
    part = ""
    for line in script.splitlines(keepends=True):
        part += line
        if sqlite3.complete_statement(part):
            yield part
            part = ""
