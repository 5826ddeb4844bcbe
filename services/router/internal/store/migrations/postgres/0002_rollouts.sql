-- Rollouts of a policy version in steps. share is in hundredths of a percent. revision
-- changes with every update, so that of several controllers one acts. open is 1 while the
-- rollout may change, and NULL afterwards: at most one rollout is open.
CREATE TABLE rollouts (
    id              TEXT PRIMARY KEY,
    revision        BIGINT NOT NULL,
    state           TEXT NOT NULL,
    stable          TEXT NOT NULL REFERENCES versions (version),
    candidate       TEXT NOT NULL REFERENCES versions (version),
    share           BIGINT NOT NULL,
    started_us      BIGINT NOT NULL,
    step_started_us BIGINT NOT NULL,
    ended_us        BIGINT NOT NULL,
    author          TEXT NOT NULL,
    note            TEXT NOT NULL,
    reason          TEXT NOT NULL,
    guardrails      TEXT NOT NULL,
    open            BIGINT UNIQUE
);

-- What happened in rollouts. A row is written in the transaction of its change.
CREATE TABLE rollout_events (
    id      BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    rollout TEXT NOT NULL REFERENCES rollouts (id),
    at_us   BIGINT NOT NULL,
    action  TEXT NOT NULL,
    share   BIGINT NOT NULL,
    author  TEXT NOT NULL,
    reason  TEXT NOT NULL
);
CREATE INDEX rollout_events_rollout ON rollout_events (rollout, id);
