-- What searches look through, and what a cost rests on. The error is cut.
ALTER TABLE requests
    ADD COLUMN error             TEXT NOT NULL DEFAULT '',
    ADD COLUMN client_request_id TEXT NOT NULL DEFAULT '',
    ADD COLUMN cost_basis        TEXT NOT NULL DEFAULT '';

-- Content by day, so that it goes by dropping. What there is stays where it is
-- and becomes the default partition. The bytes are compressed before they come,
-- which Postgres would try once more in vain. encoding: 0 is plain; 1 is zstd, with
-- request and response together in request, after the length of the first.
ALTER TABLE content RENAME TO content_default;
ALTER INDEX content_pkey RENAME TO content_default_pkey;
ALTER TABLE content_default
    ADD COLUMN encoding SMALLINT NOT NULL DEFAULT 0,
    ALTER COLUMN request SET STORAGE EXTERNAL,
    ALTER COLUMN response SET STORAGE EXTERNAL;
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
ALTER TABLE content ATTACH PARTITION content_default DEFAULT;
-- Retention is by account.
CREATE INDEX content_oldest ON content (account_id, day);

-- Sums of the requests by hour since 1970, of rows that are stored and of no
-- others. Money is in dollars and the nano-dollars that are left, each added up
-- row by row, as one number might not hold the sum. Tokens and spans are taken
-- for at most a trillion a row, and at least for none, for the same reason.
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
    kept_usd           BIGINT NOT NULL,
    kept_nano          BIGINT NOT NULL,
    input_tokens       BIGINT NOT NULL,
    cache_read_tokens  BIGINT NOT NULL,
    cache_write_tokens BIGINT NOT NULL,
    output_tokens      BIGINT NOT NULL,
    reasoning_tokens   BIGINT NOT NULL,
    latency_us         BIGINT NOT NULL,
    gateway_us         BIGINT NOT NULL,
    PRIMARY KEY (account_id, hour, key_id, key_name, model, provider, route, outcome, stream)
) WITH (fillfactor = 70); -- room to change a row in its place
INSERT INTO hourly
SELECT account_id, (time_us - (time_us % 3600000000 + 3600000000) % 3600000000) / 3600000000, key_id, key_name, model, provider, route, outcome, stream,
    COUNT(*),
    COUNT(CASE WHEN cost_nano_usd IS NULL OR baseline_nano_usd IS NULL THEN 1 END),
    COALESCE(SUM(cost_nano_usd / 1000000000), 0),
    COALESCE(SUM(cost_nano_usd % 1000000000), 0),
    COALESCE(SUM(baseline_nano_usd / 1000000000), 0),
    COALESCE(SUM(baseline_nano_usd % 1000000000), 0),
    COALESCE(SUM(baseline_nano_usd / 1000000000 - cost_nano_usd / 1000000000), 0),
    COALESCE(SUM(baseline_nano_usd % 1000000000 - cost_nano_usd % 1000000000), 0),
    SUM(LEAST(GREATEST(input_tokens, 0), 1000000000000)),
    SUM(LEAST(GREATEST(cache_read_tokens, 0), 1000000000000)),
    SUM(LEAST(GREATEST(cache_write_tokens, 0), 1000000000000)),
    SUM(LEAST(GREATEST(output_tokens, 0), 1000000000000)),
    SUM(LEAST(GREATEST(reasoning_tokens, 0), 1000000000000)),
    SUM(LEAST(GREATEST(latency_us, 0), 1000000000000)),
    SUM(LEAST(GREATEST(gateway_us, 0), 1000000000000))
FROM requests GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9;

-- What was stored of late, in the order in which it became visible: a position
-- is one transaction. ids are the 16 bytes of each request, one after the other.
CREATE TABLE feed (
    position   BIGINT NOT NULL,
    account_id TEXT   NOT NULL,
    at_us      BIGINT NOT NULL,
    ids        BYTEA  NOT NULL,
    PRIMARY KEY (position, account_id)
);
-- One row: the newest position, and the newest that the feed has forgotten.
CREATE TABLE feed_clock (
    id       SMALLINT PRIMARY KEY CHECK (id = 1),
    position BIGINT   NOT NULL,
    trimmed  BIGINT   NOT NULL
);
INSERT INTO feed_clock (id, position, trimmed) VALUES (1, 0, 0);

-- parked is 1 when a newer version may read it; schema is the one it is of.
ALTER TABLE dead_letters
    ADD COLUMN parked SMALLINT NOT NULL DEFAULT 0,
    ADD COLUMN schema BIGINT   NOT NULL DEFAULT 0;
