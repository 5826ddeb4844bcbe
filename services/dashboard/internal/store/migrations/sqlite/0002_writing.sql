-- What searches look through, and what a cost rests on. The error is cut.
ALTER TABLE requests ADD COLUMN error TEXT NOT NULL DEFAULT '';
ALTER TABLE requests ADD COLUMN client_request_id TEXT NOT NULL DEFAULT '';
ALTER TABLE requests ADD COLUMN cost_basis TEXT NOT NULL DEFAULT '';

-- The bytes are compressed before they come. encoding: 0 is plain; 1 is zstd, with
-- request and response together in request, after the length of the first.
ALTER TABLE content ADD COLUMN encoding INTEGER NOT NULL DEFAULT 0;
-- Retention is by account.
CREATE INDEX content_oldest ON content (account_id, day);

-- Sums of the requests by hour since 1970, of rows that are stored and of no
-- others. Money is in dollars and the nano-dollars that are left, each added up
-- row by row, as one number might not hold the sum. Tokens and spans are taken
-- for at most a trillion a row, and at least for none, for the same reason.
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
    kept_usd           INTEGER NOT NULL,
    kept_nano          INTEGER NOT NULL,
    input_tokens       INTEGER NOT NULL,
    cache_read_tokens  INTEGER NOT NULL,
    cache_write_tokens INTEGER NOT NULL,
    output_tokens      INTEGER NOT NULL,
    reasoning_tokens   INTEGER NOT NULL,
    latency_us         INTEGER NOT NULL,
    gateway_us         INTEGER NOT NULL,
    PRIMARY KEY (account_id, hour, key_id, key_name, model, provider, route, outcome, stream)
) WITHOUT ROWID;
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
    SUM(MIN(MAX(input_tokens, 0), 1000000000000)),
    SUM(MIN(MAX(cache_read_tokens, 0), 1000000000000)),
    SUM(MIN(MAX(cache_write_tokens, 0), 1000000000000)),
    SUM(MIN(MAX(output_tokens, 0), 1000000000000)),
    SUM(MIN(MAX(reasoning_tokens, 0), 1000000000000)),
    SUM(MIN(MAX(latency_us, 0), 1000000000000)),
    SUM(MIN(MAX(gateway_us, 0), 1000000000000))
FROM requests GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9;

-- What was stored of late, in the order in which it became visible: a position
-- is one transaction. ids are the 16 bytes of each request, one after the other.
CREATE TABLE feed (
    position   INTEGER NOT NULL,
    account_id TEXT    NOT NULL,
    at_us      INTEGER NOT NULL,
    ids        BLOB    NOT NULL,
    PRIMARY KEY (position, account_id)
) WITHOUT ROWID;
-- One row: the newest position, and the newest that the feed has forgotten.
CREATE TABLE feed_clock (
    id       INTEGER PRIMARY KEY CHECK (id = 1),
    position INTEGER NOT NULL,
    trimmed  INTEGER NOT NULL
);
INSERT INTO feed_clock (id, position, trimmed) VALUES (1, 0, 0);

-- parked is 1 when a newer version may read it; schema is the one it is of.
ALTER TABLE dead_letters ADD COLUMN parked INTEGER NOT NULL DEFAULT 0;
ALTER TABLE dead_letters ADD COLUMN schema INTEGER NOT NULL DEFAULT 0;
