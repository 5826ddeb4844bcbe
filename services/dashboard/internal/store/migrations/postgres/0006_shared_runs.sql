-- Runs of the playground that users share within their account. content is the run as JSON.
CREATE TABLE shared_runs (
    id         TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    author     TEXT NOT NULL,
    created_us BIGINT NOT NULL,
    content    TEXT NOT NULL
);
CREATE INDEX shared_runs_account ON shared_runs (account_id, created_us);
CREATE INDEX shared_runs_created ON shared_runs (created_us);
