"""Open and check an SQLite file with the tables of a gradebook, read and add rows, and explain errors in sentences.

Rows are only added: SQLite itself rejects UPDATE, DELETE and REPLACE. Only the file's owner can read it.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

PATIENCE = 30.0  #: seconds to wait for another process that is writing


class GradebookError(Exception):
    """Raised if a gradebook cannot be read or written; the message gives the reason, and whether its data are safe."""


class Database:
    """The file at `path`, as a context manager.

    make : whether to create a missing file. write : False to open the file only for reading, which also works for a
        read-only file.

    A file of an earlier version is first copied, for example to course-version-1.db, and then gets the tables of this
    version. A file that is only read is not changed. Raises GradebookError if the file is not a gradebook, or has a
    newer version.
    """

    def __init__(self, path: Path | str, make: bool = True, write: bool = True) -> None:
        self.path = Path(path)
        make &= write
        if not make and not self.path.is_file():
            raise GradebookError(f"there is no gradebook {self.path}; minigrad grade creates one")
        with self._said():
            if make and not self.path.exists():
                _private(self.path)  # SQLite creates its logs with the same permissions
            self.connection = sqlite3.connect(
                self.path if write else self._to_read(), timeout=PATIENCE, isolation_level=None, uri=not write
            )
            try:
                self._check(write)
            except BaseException:
                self.connection.close()
                raise

    def _to_read(self) -> str:
        """Return a URI that makes SQLite read the file without writing anything.

        If there is no log of changes next to the file, nobody is writing to the file. SQLite then opens the file
        without a log, which it might not be allowed to create in the folder.
        """
        log = self.path.with_name(f"{self.path.name}-wal")
        alone = not log.is_file() or not log.stat().st_size
        return f"{self.path.absolute().as_uri()}?mode=ro{'&immutable=1' * alone}"

    def _check(self, write: bool) -> None:
        """Create the tables in an empty file; reject any other file that is not a gradebook of this version."""
        self._version, application, tables = self._marks()
        version = self._version
        if application != APPLICATION and (version or tables):
            raise GradebookError(f"{self.path} is another program's database; choose another file")
        if version > VERSION:
            raise GradebookError(
                f"{self.path} was written by a newer minigrad (its tables have version {version}, "
                f"this one knows {VERSION}); install the newer one. Nothing was changed."
            )
        if not write:
            if version < VERSION:
                self._read_in_memory()
            return
        self.connection.execute("PRAGMA journal_mode = WAL")
        self.connection.execute("PRAGMA synchronous = NORMAL")
        with self._transaction():
            version, _, tables = self._marks()  # another process may have created the tables in the meantime
            if tables and version < VERSION:
                self._keep_copy(version)
            if version < VERSION:
                self._add_tables(version)
                with contextlib.suppress(OSError):  # fails if a colleague owns the file
                    self.path.chmod(0o600)  # not on every opening, because the owner may share the file later

    def _add_tables(self, version: int) -> None:
        for statement in _split(statements(version)):
            self.connection.execute(statement)

    def _keep_copy(self, version: int) -> None:
        """Write a copy next to the file atomically, while nobody else can write to the file."""
        copy = self.path.with_name(f"{self.path.stem}-version-{version}{self.path.suffix}")
        part = copy.with_name(f".{copy.name}.part")
        if copy.exists():
            return
        part.unlink(missing_ok=True)
        try:
            _private(part)
            with contextlib.closing(sqlite3.connect(self.path)) as now, contextlib.closing(sqlite3.connect(part)) as to:
                now.backup(to)
                to.execute("PRAGMA journal_mode = DELETE")
            os.replace(part, copy)
        finally:
            part.unlink(missing_ok=True)

    def _read_in_memory(self) -> None:
        """Copy the file into memory, convert the copy to this version, and read it instead of the file."""
        file, self.connection = self.connection, sqlite3.connect(":memory:", isolation_level=None)
        with contextlib.closing(file):
            file.backup(self.connection)
        with self._transaction():
            self._add_tables(self._marks()[0])

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

    @property
    def version(self) -> int:
        """The version of the tables in the file, which may be older than `VERSION` if the file is only read."""
        return self._version

    def state(self) -> tuple[int | None, ...]:
        """The number of the newest row in each table. Any new row changes it."""
        tables = [table for tables in TABLES.values() for table in tables]
        return tuple(self.rows("SELECT " + ", ".join(f"(SELECT max(id) FROM {table})" for table in tables))[0])

    def rows(self, query: str, *values: Any) -> list[Any]:
        """Return the rows of a query, as tuples."""
        with self._said():
            return self.connection.execute(query, values).fetchall()

    def add(self, table: str, *rows: Mapping[str, Any]) -> int:
        """Add all rows or none. A row is a dict from columns to values; without "at", it gets the current time.

        Returns the number of the last row. Within `transaction`, the rows are added when the block ends.
        """
        last = 0
        with self.transaction():
            for row in rows:
                row = {"at": time.time(), **row}
                query = f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})"
                last = self.connection.execute(query, tuple(row.values())).lastrowid or 0
        return last

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """Open a `with` block that adds all of its rows or none, while nobody else can add rows."""
        if self.connection.in_transaction:
            yield
            return
        with self._said(), self._transaction():
            yield

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
        except OverflowError as problem:
            raise GradebookError("a number in a row has at most 18 digits") from problem


def _private(path: Path) -> None:
    """Create an empty file that nobody else can read, unless the file exists. If this fails, SQLite reports why."""
    with contextlib.suppress(OSError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def _sentence(text: str) -> str:
    """Return the sentence that explains an SQLite error with the message `text`."""
    if "full" in text:
        return "the disk is full. Earlier grades are kept; make room and run the command again."
    if "disk I/O" in text:
        return (
            "it could not be written: the disk is full or damaged, or files this large are not allowed here. "
            "Earlier grades are kept; make room and run the command again."
        )
    if "locked" in text or "busy" in text:
        return "another process is writing to it; run the command again when it has finished"
    if "not a database" in text or "malformed" in text:
        return "it is not a gradebook, or is damaged; choose another file or an earlier copy"
    if "readonly" in text or "unable to open" in text:
        return "it cannot be written there; choose a folder where you may write"
    return text


def _split(script: str) -> Iterator[str]:
    """Yield the statements of an SQL script, one by one."""
    part = ""
    for line in script.splitlines(keepends=True):
        part += line
        if sqlite3.complete_statement(part):
            yield part
            part = ""


VERSION = 4
APPLICATION = 0x6D677264  #: "mgrd" in ASCII, which marks the file as a gradebook

_TABLES = """
CREATE TABLE enrolments (id INTEGER PRIMARY KEY, student TEXT NOT NULL, details TEXT NOT NULL, at REAL NOT NULL);
CREATE TABLE rules (id INTEGER PRIMARY KEY, assignment TEXT NOT NULL, rule TEXT NOT NULL, at REAL NOT NULL);
CREATE TABLE submissions (
    id INTEGER PRIMARY KEY, student TEXT NOT NULL, assignment TEXT NOT NULL, digest TEXT NOT NULL, file TEXT NOT NULL,
    received REAL, counts INTEGER NOT NULL, notes TEXT NOT NULL, unreadable TEXT NOT NULL, at REAL NOT NULL);
CREATE TABLE attempts (
    id INTEGER PRIMARY KEY, student TEXT NOT NULL, assignment TEXT NOT NULL, digest TEXT NOT NULL, spec TEXT NOT NULL,
    seed INTEGER NOT NULL, status TEXT NOT NULL, marks REAL, out_of REAL NOT NULL, report TEXT NOT NULL,
    at REAL NOT NULL);
CREATE TABLE adjustments (
    id INTEGER PRIMARY KEY, student TEXT NOT NULL, assignment TEXT NOT NULL, exercise TEXT, marks REAL NOT NULL,
    who TEXT NOT NULL, why TEXT NOT NULL CHECK (why <> ''), at REAL NOT NULL);
CREATE INDEX submissions_of ON submissions (assignment, student);
CREATE INDEX attempts_of ON attempts (assignment, student, digest);
CREATE VIEW counted AS
    SELECT * FROM submissions WHERE id IN (
        SELECT max(id) FROM submissions WHERE counts GROUP BY assignment, student);
CREATE VIEW latest AS
    SELECT * FROM attempts WHERE id IN (
        SELECT max(a.id) FROM attempts a JOIN counted USING (assignment, student, digest)
        GROUP BY assignment, student);
"""
#: Version 2 adds the answer to which a manual mark belongs (None means any answer), withdrawn marks, extra time or an
#: excuse for a student, and students who submit together.
_ADDED = """
ALTER TABLE adjustments ADD COLUMN answer TEXT;
CREATE TABLE withdrawals (
    id INTEGER PRIMARY KEY, adjustment INTEGER NOT NULL UNIQUE REFERENCES adjustments, who TEXT NOT NULL,
    why TEXT NOT NULL, at REAL NOT NULL);
CREATE TABLE allowances (
    id INTEGER PRIMARY KEY, student TEXT NOT NULL, assignment TEXT NOT NULL, seconds REAL NOT NULL,
    excused INTEGER NOT NULL, who TEXT NOT NULL, why TEXT NOT NULL CHECK (why <> ''), at REAL NOT NULL);
CREATE TABLE groups (
    id INTEGER PRIMARY KEY, assignment TEXT NOT NULL, name TEXT NOT NULL, students TEXT NOT NULL, who TEXT NOT NULL,
    at REAL NOT NULL);
CREATE INDEX adjustments_of ON adjustments (assignment, student, exercise);
"""
#: Version 3 adds the student whom the teacher chose for a person in the paths ("" means nobody), the files that the
#: newest run could not place or read, and the students who were removed from the class.
_PLACES = """
CREATE TABLE owners (
    id INTEGER PRIMARY KEY, person TEXT NOT NULL, student TEXT NOT NULL, who TEXT NOT NULL, at REAL NOT NULL);
CREATE TABLE left_out (
    id INTEGER PRIMARY KEY, assignment TEXT NOT NULL, files TEXT NOT NULL, at REAL NOT NULL);
CREATE TABLE removals (
    id INTEGER PRIMARY KEY, student TEXT NOT NULL, removed INTEGER NOT NULL, who TEXT NOT NULL, why TEXT NOT NULL,
    at REAL NOT NULL);
"""
#: Version 4 adds the decision that gave several students a manual mark (None means a mark for a single student).
_DECISIONS = """
ALTER TABLE adjustments ADD COLUMN decision TEXT;
"""
TABLES = {
    1: ("enrolments", "rules", "submissions", "attempts", "adjustments"),
    2: ("withdrawals", "allowances", "groups"),
    3: ("owners", "left_out", "removals"),
}
#: Columns other than `id` through which REPLACE would remove an earlier row.
_UNIQUE = {"withdrawals": "adjustment"}


def statements(version: int = 0) -> str:
    """Return the SQL that converts a gradebook of `version` (0 for an empty file) to this version."""
    parts = {1: _TABLES, 2: _ADDED, 3: _PLACES, 4: _DECISIONS}
    text = "".join(parts[number] + _triggers(number) for number in parts if number > version)
    return f"{text}PRAGMA application_id = {APPLICATION};\nPRAGMA user_version = {VERSION};\n"


def _triggers(version: int) -> str:
    """Return the triggers that reject changes of rows.

    Version 4 adds triggers against REPLACE, which does not fire a DELETE trigger.
    """
    changes = [(table, verb, "") for table in TABLES.get(version, ()) for verb in ("UPDATE", "DELETE")]
    if version == 4:
        for table in (table for tables in TABLES.values() for table in tables):
            same = " OR ".join(f"{column} = NEW.{column}" for column in filter(None, ("id", _UNIQUE.get(table))))
            changes.append((table, "INSERT", f" WHEN EXISTS (SELECT 1 FROM {table} WHERE {same})"))
    return "".join(
        f"CREATE TRIGGER {table}_{verb.lower()} BEFORE {verb} ON {table}{when} BEGIN"
        f" SELECT RAISE(ABORT, 'rows of a gradebook are not changed; add an adjustment'); END;\n"
        for table, verb, when in changes
    )
