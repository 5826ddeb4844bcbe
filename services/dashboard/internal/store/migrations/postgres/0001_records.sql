-- The ledger. Rows are inserted once and never changed; record holds the whole
-- record without its content, the columns are what filters and sums need.
CREATE TABLE requests (
    id                 BYTEA   NOT NULL,
    day                BIGINT  NOT NULL,
    time_us            BIGINT  NOT NULL,
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
    status             BIGINT  NOT NULL,
    code               TEXT    NOT NULL,
    stream             BIGINT  NOT NULL,
    input_tokens       BIGINT  NOT NULL,
    cache_read_tokens  BIGINT  NOT NULL,
    cache_write_tokens BIGINT  NOT NULL,
    output_tokens      BIGINT  NOT NULL,
    reasoning_tokens   BIGINT  NOT NULL,
    cost_nano_usd      BIGINT,
    baseline_model     TEXT    NOT NULL,
    baseline_nano_usd  BIGINT,
    latency_us         BIGINT  NOT NULL,
    ttft_us            BIGINT  NOT NULL,
    gateway_us         BIGINT  NOT NULL,
    policy_version     TEXT    NOT NULL,
    record             BYTEA   NOT NULL,
    PRIMARY KEY (id, day)
) PARTITION BY RANGE (day);
-- Takes rows of days that have no partition of their own; daily partitions are
-- made by the inserting code, ahead of need.
CREATE TABLE requests_default PARTITION OF requests DEFAULT;
CREATE INDEX requests_newest ON requests (account_id, time_us DESC, id DESC);

-- What was captured, apart from the ledger because it is kept for less long.
CREATE TABLE content (
    id             BYTEA   NOT NULL,
    day            BIGINT  NOT NULL,
    account_id     TEXT    NOT NULL,
    request        BYTEA   NOT NULL,
    response       BYTEA   NOT NULL,
    request_bytes  BIGINT  NOT NULL,
    response_bytes BIGINT  NOT NULL,
    PRIMARY KEY (id, day)
);

-- Which of a producer's numbers are stored: disjoint ranges, no two adjacent.
CREATE TABLE committed (
    producer  TEXT    NOT NULL,
    first_seq BIGINT  NOT NULL,
    last_seq  BIGINT  NOT NULL,
    PRIMARY KEY (producer, first_seq)
);

-- What could not be read, kept as it came.
CREATE TABLE dead_letters (
    producer    TEXT    NOT NULL,
    seq         BIGINT  NOT NULL,
    received_us BIGINT  NOT NULL,
    reason      TEXT    NOT NULL,
    record      BYTEA   NOT NULL,
    PRIMARY KEY (producer, seq)
);
