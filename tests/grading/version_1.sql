BEGIN TRANSACTION;
CREATE TABLE adjustments (
    id INTEGER PRIMARY KEY, student TEXT NOT NULL, assignment TEXT NOT NULL, exercise TEXT, marks REAL NOT NULL,
    who TEXT NOT NULL, why TEXT NOT NULL CHECK (why <> ''), at REAL NOT NULL);
INSERT INTO "adjustments" VALUES(1,'ada','hw1','q1',9.0,'prof','a slip',1.79552158483411908145e+09);
INSERT INTO "adjustments" VALUES(2,'bob','hw1','q1',4.0,'prof','read',1.79552158483430266376e+09);
INSERT INTO "adjustments" VALUES(3,'ada','hw1',NULL,-0.5,'ann','no name',1.79552158483444190026e+09);
CREATE TABLE attempts (
    id INTEGER PRIMARY KEY, student TEXT NOT NULL, assignment TEXT NOT NULL, digest TEXT NOT NULL, spec TEXT NOT NULL,
    seed INTEGER NOT NULL, status TEXT NOT NULL, marks REAL, out_of REAL NOT NULL, report TEXT NOT NULL,
    at REAL NOT NULL);
INSERT INTO "attempts" VALUES(1,'ada','hw1','ada 7','spec',0,'graded',7.0,10.0,'{"student": "ada", "assignment": "hw1", "digest": "ada 7", "spec": "spec", "seed": 0, "status": "graded", "results": [{"exercise": "q1", "state": "wrong", "marks": 7.0, "out_of": 10.0, "lines": [], "words": "bonus 0", "inputs": "", "yours": "", "true": "", "mistake": null, "printed": "", "code": "", "picture": null, "graph": "", "why": ""}], "notes": [], "sandbox": [], "versions": {}, "started": 0.0, "seconds": 0.0}',1.79552158482640266418e+09);
INSERT INTO "attempts" VALUES(2,'bob','hw1','bob odd','spec',0,'graded',NULL,10.0,'{"student": "bob", "assignment": "hw1", "digest": "bob odd", "spec": "spec", "seed": 0, "status": "graded", "results": [{"exercise": "q1", "state": "ungraded", "marks": null, "out_of": 10.0, "lines": [], "words": "bonus 0", "inputs": "", "yours": "", "true": "", "mistake": null, "printed": "", "code": "", "picture": null, "graph": "", "why": "the check raised"}], "notes": [], "sandbox": [], "versions": {}, "started": 0.0, "seconds": 0.0}',1.79552158482661175726e+09);
INSERT INTO "attempts" VALUES(3,'cleo','hw1','cleo 5','spec',0,'unreadable',NULL,10.0,'{"student": "cleo", "assignment": "hw1", "digest": "cleo 5", "spec": "spec", "seed": 0, "status": "unreadable", "results": [{"exercise": "q1", "state": "ungraded", "marks": null, "out_of": 10.0, "lines": [], "words": "bonus 0", "inputs": "", "yours": "", "true": "", "mistake": null, "printed": "", "code": "", "picture": null, "graph": "", "why": "the check raised"}], "notes": [], "sandbox": [], "versions": {}, "started": 0.0, "seconds": 0.0}',1.79552158482666516297e+09);
INSERT INTO "attempts" VALUES(4,'ada','hw1','ada 8','spec',0,'graded',8.0,10.0,'{"student": "ada", "assignment": "hw1", "digest": "ada 8", "spec": "spec", "seed": 0, "status": "graded", "results": [{"exercise": "q1", "state": "wrong", "marks": 8.0, "out_of": 10.0, "lines": [], "words": "bonus 0", "inputs": "", "yours": "", "true": "", "mistake": null, "printed": "", "code": "", "picture": null, "graph": "", "why": ""}], "notes": [], "sandbox": [], "versions": {}, "started": 0.0, "seconds": 0.0}',1.79552158483354568486e+09);
CREATE TABLE enrolments (id INTEGER PRIMARY KEY, student TEXT NOT NULL, details TEXT NOT NULL, at REAL NOT NULL);
INSERT INTO "enrolments" VALUES(1,'ada','{"id": "ada", "name": "Ada A"}',1.79552158482546663281e+09);
INSERT INTO "enrolments" VALUES(2,'dan','{"id": "dan"}',1.79552158482548785212e+09);
CREATE TABLE rules (id INTEGER PRIMARY KEY, assignment TEXT NOT NULL, rule TEXT NOT NULL, at REAL NOT NULL);
INSERT INTO "rules" VALUES(1,'hw1','{"due": 0.0, "percent": 10, "grace": 0.0, "cap": 100.0, "days": null}',1.79552158482558727259e+09);
CREATE TABLE submissions (
    id INTEGER PRIMARY KEY, student TEXT NOT NULL, assignment TEXT NOT NULL, digest TEXT NOT NULL, file TEXT NOT NULL,
    received REAL, counts INTEGER NOT NULL, notes TEXT NOT NULL, unreadable TEXT NOT NULL, at REAL NOT NULL);
INSERT INTO "submissions" VALUES(1,'ada','hw1','ada 7','ada.ipynb',0.0,1,'[]','',1.79552158482568693159e+09);
INSERT INTO "submissions" VALUES(2,'bob','hw1','bob odd','bob.ipynb',0.0,1,'[]','',1.79552158482576322551e+09);
INSERT INTO "submissions" VALUES(3,'cleo','hw1','cleo 5','cleo.ipynb',0.0,1,'[]','it is empty',1.7955215848257942199e+09);
INSERT INTO "submissions" VALUES(4,'ada','hw1','ada 8','ada.ipynb',100.0,1,'[]','',1.79552158482726621629e+09);
CREATE INDEX submissions_of ON submissions (assignment, student);
CREATE INDEX attempts_of ON attempts (assignment, student, digest);
CREATE VIEW counted AS
    SELECT * FROM submissions WHERE id IN (
        SELECT max(id) FROM submissions WHERE counts GROUP BY assignment, student);
CREATE VIEW latest AS
    SELECT * FROM attempts WHERE id IN (
        SELECT max(a.id) FROM attempts a JOIN counted USING (assignment, student, digest)
        GROUP BY assignment, student);
CREATE TRIGGER enrolments_update BEFORE UPDATE ON enrolments BEGIN SELECT RAISE(ABORT, 'rows of a gradebook are not changed; add an adjustment'); END;
CREATE TRIGGER enrolments_delete BEFORE DELETE ON enrolments BEGIN SELECT RAISE(ABORT, 'rows of a gradebook are not changed; add an adjustment'); END;
CREATE TRIGGER rules_update BEFORE UPDATE ON rules BEGIN SELECT RAISE(ABORT, 'rows of a gradebook are not changed; add an adjustment'); END;
CREATE TRIGGER rules_delete BEFORE DELETE ON rules BEGIN SELECT RAISE(ABORT, 'rows of a gradebook are not changed; add an adjustment'); END;
CREATE TRIGGER submissions_update BEFORE UPDATE ON submissions BEGIN SELECT RAISE(ABORT, 'rows of a gradebook are not changed; add an adjustment'); END;
CREATE TRIGGER submissions_delete BEFORE DELETE ON submissions BEGIN SELECT RAISE(ABORT, 'rows of a gradebook are not changed; add an adjustment'); END;
CREATE TRIGGER attempts_update BEFORE UPDATE ON attempts BEGIN SELECT RAISE(ABORT, 'rows of a gradebook are not changed; add an adjustment'); END;
CREATE TRIGGER attempts_delete BEFORE DELETE ON attempts BEGIN SELECT RAISE(ABORT, 'rows of a gradebook are not changed; add an adjustment'); END;
CREATE TRIGGER adjustments_update BEFORE UPDATE ON adjustments BEGIN SELECT RAISE(ABORT, 'rows of a gradebook are not changed; add an adjustment'); END;
CREATE TRIGGER adjustments_delete BEFORE DELETE ON adjustments BEGIN SELECT RAISE(ABORT, 'rows of a gradebook are not changed; add an adjustment'); END;
COMMIT;
PRAGMA application_id = 1835496036;
PRAGMA user_version = 1;
