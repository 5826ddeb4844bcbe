-- How good responses were, beside what was predicted. No row contains text of a request.
-- Numbers without a unit are in thousandths.
CREATE TABLE outcomes (
    seq         BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id  TEXT NOT NULL,
    id          TEXT NOT NULL,
    source      TEXT NOT NULL,
    model       TEXT NOT NULL,
    topic       TEXT NOT NULL,
    predicted   INTEGER NOT NULL,
    observed    INTEGER NOT NULL,
    weight      INTEGER NOT NULL,
    served_us   BIGINT NOT NULL,
    received_us BIGINT NOT NULL,
    learned     INTEGER NOT NULL DEFAULT 0,
    UNIQUE (account_id, id)
);
CREATE INDEX outcomes_fresh ON outcomes (seq) WHERE learned = 0;
CREATE INDEX outcomes_received ON outcomes (received_us);

-- The state of the learner; one row.
CREATE TABLE learner (
    id    INTEGER PRIMARY KEY CHECK (id = 1),
    state BYTEA NOT NULL
);
INSERT INTO learner (id, state) VALUES (1, '');

-- What was learned: corrections of predicted qualities. A row never changes.
CREATE TABLE corrections (
    id         BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    version    TEXT NOT NULL UNIQUE,
    body       BYTEA NOT NULL,
    created_us BIGINT NOT NULL
);

-- Which corrections apply. The last row counts. shipped stands for none.
CREATE TABLE selections (
    id          BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    version     TEXT NOT NULL,
    pinned      INTEGER NOT NULL,
    author      TEXT NOT NULL,
    selected_us BIGINT NOT NULL
);
