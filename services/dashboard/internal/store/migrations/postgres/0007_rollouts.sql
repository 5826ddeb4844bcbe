-- Sums over the requests that one version of a rollout decided, by step. share is the share of
-- the sessions at that step, in hundredths of a percent. side is stable or candidate. Latency
-- is in natural logarithms of microseconds, cost in micro-USD.
CREATE TABLE rollout_sums (
    rollout         TEXT NOT NULL,
    share           BIGINT NOT NULL,
    side            TEXT NOT NULL,
    requests        BIGINT NOT NULL,
    failures        BIGINT NOT NULL,
    responses       BIGINT NOT NULL,
    latency_count   BIGINT NOT NULL,
    latency_sum     DOUBLE PRECISION NOT NULL,
    latency_squares DOUBLE PRECISION NOT NULL,
    cost_count      BIGINT NOT NULL,
    cost_sum        DOUBLE PRECISION NOT NULL,
    cost_squares    DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (rollout, share, side)
);

-- The rollout, share and side of the request of an item, separated by spaces; empty without
-- a rollout.
ALTER TABLE evidence ADD COLUMN rollout TEXT NOT NULL DEFAULT '';
CREATE INDEX evidence_by_rollout ON evidence (rollout) WHERE rollout <> '';
