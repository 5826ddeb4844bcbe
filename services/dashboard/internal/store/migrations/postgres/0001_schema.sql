-- One row per request. Rows are inserted once and never updated. The column record
-- holds the encoded record without its content. The other columns serve filters
-- and sums. Long values in error, code and the names are truncated.
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
    error              TEXT    NOT NULL DEFAULT '',
    client_request_id  TEXT    NOT NULL DEFAULT '',
    cost_basis         TEXT    NOT NULL DEFAULT '',
    PRIMARY KEY (id, day)
) PARTITION BY RANGE (day);
-- The dashboard creates the daily partitions ahead of time. The default partition
-- takes rows whose day is far from today. Their dates come from a wrong clock.
CREATE TABLE requests_default PARTITION OF requests DEFAULT;
CREATE INDEX requests_newest ON requests (account_id, time_us DESC, id DESC);

-- Failures are few, and users search them most. The index has every column that
-- these searches and sums read, so that they do not read the table.
CREATE INDEX requests_failed ON requests (account_id, code, time_us DESC, id DESC)
    INCLUDE (error, key_id, key_name, model, provider, route, outcome, cost_nano_usd, baseline_nano_usd)
    WHERE (code <> '' OR error <> '');

-- This index finds rare values and unusual sizes. It summarizes ranges of 32 pages.
-- An index of rows would make every insert slower. Autovacuum adds the newest
-- ranges. Until then, searches read these ranges completely.
CREATE INDEX requests_ranges ON requests USING brin (
    time_us,
    account_id        text_bloom_ops (n_distinct_per_range = 16),
    key_id            text_bloom_ops (n_distinct_per_range = 32),
    key_name          text_bloom_ops (n_distinct_per_range = 32),
    model             text_bloom_ops (n_distinct_per_range = 32),
    requested_model   text_bloom_ops (n_distinct_per_range = 32),
    provider          text_bloom_ops (n_distinct_per_range = 16),
    status            int8_bloom_ops (n_distinct_per_range = 16),
    client_request_id text_bloom_ops (n_distinct_per_range = 300),
    cost_nano_usd,
    (CAST(baseline_nano_usd AS NUMERIC) - cost_nano_usd),
    (CAST(input_tokens AS NUMERIC) + cache_read_tokens + cache_write_tokens + output_tokens),
    latency_us,
    ttft_us,
    gateway_us
) WITH (pages_per_range = 32, autosummarize = on);

-- Captured content. It has its own table, because its retention is shorter and
-- retention drops whole partitions. With encoding 0, request and response are not
-- compressed. With encoding 1, the column request is one zstd frame: the length of
-- the request, the request and the response. Postgres must not compress the bytes
-- again.
CREATE TABLE content (
    id             BYTEA    NOT NULL,
    day            BIGINT   NOT NULL,
    account_id     TEXT     NOT NULL,
    request        BYTEA    NOT NULL,
    response       BYTEA    NOT NULL,
    request_bytes  BIGINT   NOT NULL,
    response_bytes BIGINT   NOT NULL,
    encoding       SMALLINT NOT NULL DEFAULT 0,
    PRIMARY KEY (id, day)
) PARTITION BY RANGE (day);
ALTER TABLE content
    ALTER COLUMN request SET STORAGE EXTERNAL,
    ALTER COLUMN response SET STORAGE EXTERNAL;
CREATE TABLE content_default PARTITION OF content DEFAULT;
-- For deleting the content of one account, because each account sets its retention.
CREATE INDEX content_oldest ON content (account_id, day);

-- Sums of the stored requests per hour. hour counts the hours since 1970. Money is
-- split into dollars and nano-dollars, because a sum in one 64-bit number could
-- overflow. For the same reason, the token counts and durations of one request are
-- limited to the range from 0 to 10^12.
CREATE TABLE hourly (
    account_id         TEXT   NOT NULL,
    hour               BIGINT NOT NULL,
    key_id             TEXT   NOT NULL,
    key_name           TEXT   NOT NULL,
    model              TEXT   NOT NULL,
    provider           TEXT   NOT NULL,
    route              TEXT   NOT NULL,
    outcome            TEXT   NOT NULL,
    stream             BIGINT NOT NULL,
    requests           BIGINT NOT NULL,
    unpriced           BIGINT NOT NULL,
    routed_usd         BIGINT NOT NULL,
    routed_nano        BIGINT NOT NULL,
    baseline_usd       BIGINT NOT NULL,
    baseline_nano      BIGINT NOT NULL,
    saved_usd          BIGINT NOT NULL,
    saved_nano         BIGINT NOT NULL,
    input_tokens       BIGINT NOT NULL,
    cache_read_tokens  BIGINT NOT NULL,
    cache_write_tokens BIGINT NOT NULL,
    output_tokens      BIGINT NOT NULL,
    reasoning_tokens   BIGINT NOT NULL,
    latency_us         BIGINT NOT NULL,
    gateway_us         BIGINT NOT NULL,
    PRIMARY KEY (account_id, hour, key_id, key_name, model, provider, route, outcome, stream)
) WITH (fillfactor = 70); -- leaves space to update a row in its page
-- For finding the distinct names of an account.
CREATE INDEX hourly_names ON hourly (account_id, key_id, key_name, model, provider);

-- The same sums per day, for long ranges. day counts the days since 1970.
CREATE TABLE daily (
    account_id         TEXT   NOT NULL,
    day                BIGINT NOT NULL,
    key_id             TEXT   NOT NULL,
    key_name           TEXT   NOT NULL,
    model              TEXT   NOT NULL,
    provider           TEXT   NOT NULL,
    route              TEXT   NOT NULL,
    outcome            TEXT   NOT NULL,
    stream             BIGINT NOT NULL,
    requests           BIGINT NOT NULL,
    unpriced           BIGINT NOT NULL,
    routed_usd         BIGINT NOT NULL,
    routed_nano        BIGINT NOT NULL,
    baseline_usd       BIGINT NOT NULL,
    baseline_nano      BIGINT NOT NULL,
    saved_usd          BIGINT NOT NULL,
    saved_nano         BIGINT NOT NULL,
    input_tokens       BIGINT NOT NULL,
    cache_read_tokens  BIGINT NOT NULL,
    cache_write_tokens BIGINT NOT NULL,
    output_tokens      BIGINT NOT NULL,
    reasoning_tokens   BIGINT NOT NULL,
    latency_us         BIGINT NOT NULL,
    gateway_us         BIGINT NOT NULL,
    PRIMARY KEY (account_id, day, key_id, key_name, model, provider, route, outcome, stream)
) WITH (fillfactor = 70); -- leaves space to update a row in its page

-- The feed: recently stored requests, in commit order. One position is one
-- transaction. ids contains the 16-byte ids of the requests, one after the other.
CREATE TABLE feed (
    position   BIGINT NOT NULL,
    account_id TEXT   NOT NULL,
    at_us      BIGINT NOT NULL,
    ids        BYTEA  NOT NULL,
    PRIMARY KEY (position, account_id)
);
-- Readers follow the feed of one account.
CREATE INDEX feed_account ON feed (account_id, position);
-- One row: the newest position, and the newest position that was deleted from feed.
CREATE TABLE feed_clock (
    id       SMALLINT PRIMARY KEY CHECK (id = 1),
    position BIGINT   NOT NULL,
    trimmed  BIGINT   NOT NULL
);
INSERT INTO feed_clock (id, position, trimmed) VALUES (1, 0, 0);

-- The sequence numbers of the stored records of each producer, as ranges. The ranges
-- never overlap, and two ranges are never adjacent. A producer is a proxy's spool.
CREATE TABLE committed (
    producer  TEXT   NOT NULL,
    first_seq BIGINT NOT NULL,
    last_seq  BIGINT NOT NULL,
    PRIMARY KEY (producer, first_seq)
);

-- Records that could not be decoded or stored, as they arrived. parked is 1 if the
-- schema of the record is newer than this version supports. schema is the record's
-- schema version, 0 if unknown.
CREATE TABLE dead_letters (
    producer    TEXT     NOT NULL,
    seq         BIGINT   NOT NULL,
    received_us BIGINT   NOT NULL,
    reason      TEXT     NOT NULL,
    record      BYTEA    NOT NULL,
    parked      SMALLINT NOT NULL DEFAULT 0,
    schema      BIGINT   NOT NULL DEFAULT 0,
    PRIMARY KEY (producer, seq)
);

-- The last report of each producer. sent is the highest sequence number that the
-- producer has assigned. held is the lowest one that it still holds. at_us is the
-- time of the report by the producer's clock. first_us and seen_us are the times of
-- the first and the last report by the dashboard's clock.
CREATE TABLE producers (
    producer TEXT   NOT NULL PRIMARY KEY,
    host     TEXT   NOT NULL,
    sent     BIGINT NOT NULL,
    held     BIGINT NOT NULL,
    lost     BIGINT NOT NULL,
    refused  BIGINT NOT NULL,
    at_us    BIGINT NOT NULL,
    first_us BIGINT NOT NULL,
    seen_us  BIGINT NOT NULL
);
