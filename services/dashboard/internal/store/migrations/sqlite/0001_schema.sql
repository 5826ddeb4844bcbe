-- One row per request. Rows are inserted once and never updated. The column record
-- holds the encoded record without its content. The other columns serve filters
-- and sums. Long values in error, code and the names are truncated.
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
    error              TEXT    NOT NULL DEFAULT '',
    client_request_id  TEXT    NOT NULL DEFAULT '',
    cost_basis         TEXT    NOT NULL DEFAULT '',
    PRIMARY KEY (id, day)
);
CREATE INDEX requests_newest ON requests (account_id, time_us DESC, id DESC);
-- Failures are few, and users search them most.
CREATE INDEX requests_failed ON requests (account_id, code, time_us DESC, id DESC) WHERE (code <> '' OR error <> '');
CREATE INDEX requests_client ON requests (client_request_id) WHERE client_request_id <> '';

-- Captured content. It has its own table, because its retention is shorter. With
-- encoding 0, request and response are not compressed. With encoding 1, the column
-- request is one zstd frame: the length of the request, the request and the
-- response.
CREATE TABLE content (
    id             BLOB    NOT NULL,
    day            INTEGER NOT NULL,
    account_id     TEXT    NOT NULL,
    request        BLOB    NOT NULL,
    response       BLOB    NOT NULL,
    request_bytes  INTEGER NOT NULL,
    response_bytes INTEGER NOT NULL,
    encoding       INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (id, day)
);
-- For deleting the content of one account, because each account sets its retention.
CREATE INDEX content_oldest ON content (account_id, day);

-- Sums of the stored requests per hour. hour counts the hours since 1970. Money is
-- split into dollars and nano-dollars, because a sum in one 64-bit number could
-- overflow. For the same reason, the token counts and durations of one request are
-- limited to the range from 0 to 10^12.
CREATE TABLE hourly (
    account_id         TEXT    NOT NULL,
    hour               INTEGER NOT NULL,
    key_id             TEXT    NOT NULL,
    key_name           TEXT    NOT NULL,
    model              TEXT    NOT NULL,
    provider           TEXT    NOT NULL,
    route              TEXT    NOT NULL,
    outcome            TEXT    NOT NULL,
    stream             INTEGER NOT NULL,
    requests           INTEGER NOT NULL,
    unpriced           INTEGER NOT NULL,
    routed_usd         INTEGER NOT NULL,
    routed_nano        INTEGER NOT NULL,
    baseline_usd       INTEGER NOT NULL,
    baseline_nano      INTEGER NOT NULL,
    saved_usd          INTEGER NOT NULL,
    saved_nano         INTEGER NOT NULL,
    input_tokens       INTEGER NOT NULL,
    cache_read_tokens  INTEGER NOT NULL,
    cache_write_tokens INTEGER NOT NULL,
    output_tokens      INTEGER NOT NULL,
    reasoning_tokens   INTEGER NOT NULL,
    latency_us         INTEGER NOT NULL,
    gateway_us         INTEGER NOT NULL,
    PRIMARY KEY (account_id, hour, key_id, key_name, model, provider, route, outcome, stream)
) WITHOUT ROWID;

-- The same sums per day, for long ranges. day counts the days since 1970.
CREATE TABLE daily (
    account_id         TEXT    NOT NULL,
    day                INTEGER NOT NULL,
    key_id             TEXT    NOT NULL,
    key_name           TEXT    NOT NULL,
    model              TEXT    NOT NULL,
    provider           TEXT    NOT NULL,
    route              TEXT    NOT NULL,
    outcome            TEXT    NOT NULL,
    stream             INTEGER NOT NULL,
    requests           INTEGER NOT NULL,
    unpriced           INTEGER NOT NULL,
    routed_usd         INTEGER NOT NULL,
    routed_nano        INTEGER NOT NULL,
    baseline_usd       INTEGER NOT NULL,
    baseline_nano      INTEGER NOT NULL,
    saved_usd          INTEGER NOT NULL,
    saved_nano         INTEGER NOT NULL,
    input_tokens       INTEGER NOT NULL,
    cache_read_tokens  INTEGER NOT NULL,
    cache_write_tokens INTEGER NOT NULL,
    output_tokens      INTEGER NOT NULL,
    reasoning_tokens   INTEGER NOT NULL,
    latency_us         INTEGER NOT NULL,
    gateway_us         INTEGER NOT NULL,
    PRIMARY KEY (account_id, day, key_id, key_name, model, provider, route, outcome, stream)
) WITHOUT ROWID;

-- The feed: recently stored requests, in commit order. One position is one
-- transaction. ids contains the 16-byte ids of the requests, one after the other.
CREATE TABLE feed (
    position   INTEGER NOT NULL,
    account_id TEXT    NOT NULL,
    at_us      INTEGER NOT NULL,
    ids        BLOB    NOT NULL,
    PRIMARY KEY (position, account_id)
) WITHOUT ROWID;
-- Readers follow the feed of one account.
CREATE INDEX feed_account ON feed (account_id, position);
-- One row: the newest position, and the newest position that was deleted from feed.
CREATE TABLE feed_clock (
    id       INTEGER  PRIMARY KEY CHECK (id = 1),
    position INTEGER NOT NULL,
    trimmed  INTEGER NOT NULL
);
INSERT INTO feed_clock (id, position, trimmed) VALUES (1, 0, 0);

-- The sequence numbers of the stored records of each producer, as ranges. The ranges
-- never overlap, and two ranges are never adjacent. A producer is a proxy's spool.
CREATE TABLE committed (
    producer  TEXT    NOT NULL,
    first_seq INTEGER NOT NULL,
    last_seq  INTEGER NOT NULL,
    PRIMARY KEY (producer, first_seq)
);

-- Records that could not be decoded or stored, as they arrived. parked is 1 if the
-- schema of the record is newer than this version supports. schema is the record's
-- schema version, 0 if unknown.
CREATE TABLE dead_letters (
    producer    TEXT    NOT NULL,
    seq         INTEGER NOT NULL,
    received_us INTEGER NOT NULL,
    reason      TEXT    NOT NULL,
    record      BLOB    NOT NULL,
    parked      INTEGER NOT NULL DEFAULT 0,
    schema      INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (producer, seq)
);

-- The last report of each producer. sent is the highest sequence number that the
-- producer has assigned. held is the lowest one that it still holds. at_us is the
-- time of the report by the producer's clock. first_us and seen_us are the times of
-- the first and the last report by the dashboard's clock.
CREATE TABLE producers (
    producer TEXT    NOT NULL PRIMARY KEY,
    host     TEXT    NOT NULL,
    sent     INTEGER NOT NULL,
    held     INTEGER NOT NULL,
    lost     INTEGER NOT NULL,
    refused  INTEGER NOT NULL,
    at_us    INTEGER NOT NULL,
    first_us INTEGER NOT NULL,
    seen_us  INTEGER NOT NULL
);
