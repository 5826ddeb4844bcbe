-- One row: the counter of the change log, and what proves the pepper. The
-- counter starts at 1, because 0 means "the present" to those who watch.
CREATE TABLE installation (
    id           INTEGER PRIMARY KEY CHECK (id = 1),
    version      BIGINT NOT NULL,
    pepper_check BLOB
);
INSERT INTO installation (id, version) VALUES (1, 1);

CREATE TABLE accounts (
    id             TEXT PRIMARY KEY,
    name           TEXT NOT NULL,
    baseline_model TEXT NOT NULL,
    capture        TEXT NOT NULL,
    content_days   INTEGER NOT NULL,
    operator       BOOLEAN NOT NULL,
    created_us     BIGINT NOT NULL,
    claim_hash     BLOB
);
CREATE UNIQUE INDEX accounts_operator ON accounts (operator) WHERE operator;

CREATE TABLE users (
    id            TEXT PRIMARY KEY,
    account_id    TEXT NOT NULL REFERENCES accounts (id),
    email         TEXT NOT NULL UNIQUE,
    role          TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    created_us    BIGINT NOT NULL
);

CREATE TABLE sessions (
    id         TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    user_id    TEXT NOT NULL REFERENCES users (id),
    hash       BLOB NOT NULL UNIQUE,
    created_us BIGINT NOT NULL,
    seen_us    BIGINT NOT NULL,
    client     TEXT NOT NULL
);
CREATE INDEX sessions_user ON sessions (user_id, created_us);

-- An invite without an account makes one.
CREATE TABLE invites (
    hash       BLOB PRIMARY KEY,
    account_id TEXT REFERENCES accounts (id),
    role       TEXT NOT NULL,
    created_us BIGINT NOT NULL,
    expires_us BIGINT NOT NULL
);

CREATE TABLE keys (
    id                  TEXT PRIMARY KEY,
    account_id          TEXT NOT NULL REFERENCES accounts (id),
    mac                 BLOB NOT NULL UNIQUE,
    prefix              TEXT NOT NULL,
    name                TEXT NOT NULL,
    scopes              TEXT NOT NULL,
    models              TEXT NOT NULL,
    tags                TEXT NOT NULL,
    may_swap_model      BOOLEAN NOT NULL,
    baseline_model      TEXT NOT NULL,
    capture             TEXT NOT NULL,
    error_format        TEXT NOT NULL,
    expires_us          BIGINT,
    requests_per_minute BIGINT NOT NULL,
    tokens_per_minute   BIGINT NOT NULL,
    concurrent_requests BIGINT NOT NULL,
    nano_usd_per_day    BIGINT NOT NULL,
    nano_usd_per_month  BIGINT NOT NULL,
    created_us          BIGINT NOT NULL,
    revoked_us          BIGINT,
    replaced_by         TEXT NOT NULL
);
CREATE INDEX keys_account ON keys (account_id, created_us);

-- A change without a key concerns all keys of the account.
CREATE TABLE changes (
    version    BIGINT PRIMARY KEY,
    account_id TEXT NOT NULL,
    key_id     TEXT NOT NULL,
    user_id    TEXT NOT NULL,
    action     TEXT NOT NULL,
    at_us      BIGINT NOT NULL
);
