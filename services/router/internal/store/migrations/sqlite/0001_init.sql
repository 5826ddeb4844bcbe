CREATE TABLE versions (
    version    TEXT PRIMARY KEY,
    document   TEXT NOT NULL,
    compiled   BLOB NOT NULL,
    origin     TEXT NOT NULL,
    author     TEXT NOT NULL,
    created_us BIGINT NOT NULL
);

-- Which version was in force, since when and why; the last row is the present.
CREATE TABLE activations (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    version      TEXT NOT NULL REFERENCES versions (version),
    origin       TEXT NOT NULL,
    author       TEXT NOT NULL,
    activated_us BIGINT NOT NULL
);
