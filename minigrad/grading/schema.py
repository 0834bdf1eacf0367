"""The tables of a gradebook. Rows are added and never changed: SQLite itself refuses UPDATE and DELETE."""

VERSION = 1
APPLICATION = 0x6D677264  #: marks the file as a gradebook, "mgrd"

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
TABLES = ("enrolments", "rules", "submissions", "attempts", "adjustments")


def statements() -> str:
    """The SQL that makes an empty gradebook."""
    triggers = "".join(
        f"CREATE TRIGGER {table}_{verb.lower()} BEFORE {verb} ON {table} BEGIN"
        f" SELECT RAISE(ABORT, 'rows of a gradebook are not changed; add an adjustment'); END;\n"
        for table in TABLES
        for verb in ("UPDATE", "DELETE")
    )
    return f"{_TABLES}{triggers}PRAGMA application_id = {APPLICATION};\nPRAGMA user_version = {VERSION};\n"
