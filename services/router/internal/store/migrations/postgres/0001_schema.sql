-- Every policy version that was ever active.
CREATE TABLE versions (
    version    TEXT PRIMARY KEY,
    document   TEXT NOT NULL,
    compiled   BYTEA NOT NULL,
    origin     TEXT NOT NULL,
    author     TEXT NOT NULL,
    created_us BIGINT NOT NULL,
    note       TEXT NOT NULL DEFAULT ''
);

-- When each version became active, and why. The last row is the active version. Two
-- documents can compile to the same version. document is the text that was activated, if
-- it differs from the document in versions.
CREATE TABLE activations (
    id           BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    version      TEXT NOT NULL REFERENCES versions (version),
    origin       TEXT NOT NULL,
    author       TEXT NOT NULL,
    activated_us BIGINT NOT NULL,
    note         TEXT NOT NULL DEFAULT '',
    document     TEXT
);
CREATE INDEX activations_version ON activations (version, id);
