-- Results of experiments: how the response of another candidate compares with the served
-- one. A row contains no text. Its costs belong to the experiment and to no request. score
-- is in thousandths. Rows are deleted with the requests of their day.
CREATE TABLE comparisons (
    id                 BYTEA PRIMARY KEY,
    account_id         TEXT NOT NULL,
    request_id         BYTEA NOT NULL,
    experiment         TEXT NOT NULL,
    policy_version     TEXT NOT NULL,
    task               TEXT NOT NULL,
    served_model       TEXT NOT NULL,
    served_provider    TEXT NOT NULL,
    candidate_model    TEXT NOT NULL,
    candidate_provider TEXT NOT NULL,
    candidate_effort   TEXT NOT NULL,
    judge_model        TEXT NOT NULL,
    judge_provider     TEXT NOT NULL,
    result             TEXT NOT NULL,
    score              BIGINT NOT NULL,
    consistent         BIGINT NOT NULL,
    candidate_nano     BIGINT,
    judge_nano         BIGINT,
    estimated          BIGINT NOT NULL,
    code               TEXT NOT NULL,
    created_us         BIGINT NOT NULL
);
CREATE INDEX comparisons_by_time ON comparisons (account_id, created_us);
