-- Rollouts of a policy version in steps. share is in hundredths of a percent. revision
-- changes with every update, so that of several controllers one acts. open is 1 while the
-- rollout may change, and NULL afterwards: at most one rollout is open.
CREATE TABLE rollouts (
    id              TEXT PRIMARY KEY,
    revision        INTEGER NOT NULL,
    state           TEXT NOT NULL,
    stable          TEXT NOT NULL REFERENCES versions (version),
    candidate       TEXT NOT NULL REFERENCES versions (version),
    share           INTEGER NOT NULL,
    started_us      INTEGER NOT NULL,
    step_started_us INTEGER NOT NULL,
    ended_us        INTEGER NOT NULL,
    author          TEXT NOT NULL,
    note            TEXT NOT NULL,
    reason          TEXT NOT NULL,
    guardrails      TEXT NOT NULL,
    open            INTEGER UNIQUE
);

-- What happened in rollouts. A row is written in the transaction of its change.
CREATE TABLE rollout_events (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    rollout TEXT NOT NULL REFERENCES rollouts (id),
    at_us   INTEGER NOT NULL,
    action  TEXT NOT NULL,
    share   INTEGER NOT NULL,
    author  TEXT NOT NULL,
    reason  TEXT NOT NULL
);
CREATE INDEX rollout_events_rollout ON rollout_events (rollout, id);
