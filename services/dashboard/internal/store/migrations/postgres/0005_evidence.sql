-- What is known about how good responses were: feedback, and signals found without a click.
-- A row belongs to a stored request of the same account, and copies from it what quality is
-- grouped by. A later item of the same kind and source replaces an earlier one. score and
-- weight are in thousandths. Rows are deleted together with the request.
CREATE TABLE evidence (
    request_id BYTEA NOT NULL,
    account_id TEXT NOT NULL,
    kind       TEXT NOT NULL,
    source     TEXT NOT NULL,
    score      BIGINT NOT NULL,
    weight     BIGINT NOT NULL,
    reason     TEXT NOT NULL,
    created_us BIGINT NOT NULL,
    request_us BIGINT NOT NULL,
    model      TEXT NOT NULL,
    provider   TEXT NOT NULL,
    task       TEXT NOT NULL,
    PRIMARY KEY (request_id, account_id, kind, source)
);
CREATE INDEX evidence_by_time ON evidence (account_id, request_us);

-- Evidence whose request is not stored yet, because the feedback was faster than the
-- record. It waits for a limited time. day is the partition of the request.
CREATE TABLE waiting_evidence (
    request_id  BYTEA NOT NULL,
    account_id  TEXT NOT NULL,
    kind        TEXT NOT NULL,
    source      TEXT NOT NULL,
    score       BIGINT NOT NULL,
    weight      BIGINT NOT NULL,
    reason      TEXT NOT NULL,
    created_us  BIGINT NOT NULL,
    received_us BIGINT NOT NULL,
    day         BIGINT NOT NULL,
    PRIMARY KEY (request_id, account_id, kind, source)
);
CREATE INDEX waiting_evidence_account ON waiting_evidence (account_id);
CREATE INDEX waiting_evidence_received ON waiting_evidence (received_us);

-- How many responses there were by model and kind of task. The share of responses with a
-- signal is relative to it. day counts the days since 1970.
CREATE TABLE quality_daily (
    account_id TEXT NOT NULL,
    day        BIGINT NOT NULL,
    model      TEXT NOT NULL,
    provider   TEXT NOT NULL,
    task       TEXT NOT NULL,
    responses  BIGINT NOT NULL,
    PRIMARY KEY (account_id, day, model, provider, task)
);
