-- The sums by hour once more by day since 1970, for long spans.
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
    kept_usd           INTEGER NOT NULL,
    kept_nano          INTEGER NOT NULL,
    input_tokens       INTEGER NOT NULL,
    cache_read_tokens  INTEGER NOT NULL,
    cache_write_tokens INTEGER NOT NULL,
    output_tokens      INTEGER NOT NULL,
    reasoning_tokens   INTEGER NOT NULL,
    latency_us         INTEGER NOT NULL,
    gateway_us         INTEGER NOT NULL,
    PRIMARY KEY (account_id, day, key_id, key_name, model, provider, route, outcome, stream)
) WITHOUT ROWID;
INSERT INTO daily
SELECT account_id, (hour - (hour % 24 + 24) % 24) / 24, key_id, key_name, model, provider, route, outcome, stream,
    SUM(requests), SUM(unpriced), SUM(routed_usd), SUM(routed_nano), SUM(baseline_usd), SUM(baseline_nano),
    SUM(kept_usd), SUM(kept_nano), SUM(input_tokens), SUM(cache_read_tokens), SUM(cache_write_tokens),
    SUM(output_tokens), SUM(reasoning_tokens), SUM(latency_us), SUM(gateway_us)
FROM hourly GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9;
