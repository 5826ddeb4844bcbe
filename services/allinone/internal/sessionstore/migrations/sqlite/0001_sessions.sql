-- The states of sessions. The proxy encodes them.
CREATE TABLE sessions (
    key        BLOB PRIMARY KEY,
    state      BLOB NOT NULL,
    expires_ms INTEGER NOT NULL
) WITHOUT ROWID;

CREATE INDEX sessions_expires ON sessions (expires_ms);
