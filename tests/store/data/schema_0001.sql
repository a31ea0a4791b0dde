-- A journal as the first schema wrote it. Never edit: it stands for files that people have.
PRAGMA application_id = 1383427687;
CREATE TABLE migration (name TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE fact (path TEXT NOT NULL, kind TEXT NOT NULL, json TEXT NOT NULL, PRIMARY KEY (path, kind)) WITHOUT ROWID;
CREATE TABLE observation (seq INTEGER PRIMARY KEY, path TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL);
CREATE TABLE blob (hash TEXT PRIMARY KEY, bytes BLOB NOT NULL);
INSERT INTO migration VALUES ('0001_tables');
INSERT INTO fact VALUES ('L0/work/0001', 'sealed', '{"score":0.5}');
INSERT INTO fact VALUES ('L0/work/0001', 'served', '{"task":"täglich \ud800"}');
INSERT INTO observation VALUES (0, 'L0/work/0001', 'seconds', '1.5');
INSERT INTO blob VALUES ('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad', x'616263');
