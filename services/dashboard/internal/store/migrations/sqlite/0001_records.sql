-- The ledger. Rows are inserted once and never changed; record holds the whole
-- record without its content, the columns are what filters and sums need.
CREATE TABLE requests (
    id                 BLOB    NOT NULL,
    day                INTEGER NOT NULL,
    time_us            INTEGER NOT NULL,
    account_id         TEXT    NOT NULL,
    key_id             TEXT    NOT NULL,
    key_name           TEXT    NOT NULL,
    endpoint           TEXT    NOT NULL,
    requested_model    TEXT    NOT NULL,
    model              TEXT    NOT NULL,
    provider           TEXT    NOT NULL,
    route              TEXT    NOT NULL,
    outcome            TEXT    NOT NULL,
    reason_code        TEXT    NOT NULL,
    status             INTEGER NOT NULL,
    code               TEXT    NOT NULL,
    stream             INTEGER NOT NULL,
    input_tokens       INTEGER NOT NULL,
    cache_read_tokens  INTEGER NOT NULL,
    cache_write_tokens INTEGER NOT NULL,
    output_tokens      INTEGER NOT NULL,
    reasoning_tokens   INTEGER NOT NULL,
    cost_nano_usd      INTEGER,
    baseline_model     TEXT    NOT NULL,
    baseline_nano_usd  INTEGER,
    latency_us         INTEGER NOT NULL,
    ttft_us            INTEGER NOT NULL,
    gateway_us         INTEGER NOT NULL,
    policy_version     TEXT    NOT NULL,
    record             BLOB    NOT NULL,
    PRIMARY KEY (id, day)
);
CREATE INDEX requests_newest ON requests (account_id, time_us DESC, id DESC);

-- What was captured, apart from the ledger because it is kept for less long.
CREATE TABLE content (
    id             BLOB    NOT NULL,
    day            INTEGER NOT NULL,
    account_id     TEXT    NOT NULL,
    request        BLOB    NOT NULL,
    response       BLOB    NOT NULL,
    request_bytes  INTEGER NOT NULL,
    response_bytes INTEGER NOT NULL,
    PRIMARY KEY (id, day)
);

-- Which of a producer's numbers are stored: disjoint ranges, no two adjacent.
CREATE TABLE committed (
    producer  TEXT    NOT NULL,
    first_seq INTEGER NOT NULL,
    last_seq  INTEGER NOT NULL,
    PRIMARY KEY (producer, first_seq)
);

-- What could not be read, kept as it came.
CREATE TABLE dead_letters (
    producer    TEXT    NOT NULL,
    seq         INTEGER NOT NULL,
    received_us INTEGER NOT NULL,
    reason      TEXT    NOT NULL,
    record      BLOB    NOT NULL,
    PRIMARY KEY (producer, seq)
);
