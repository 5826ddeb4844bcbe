-- Failures with all that searches and sums need of them, so that the rows are
-- not read: few have a rare word, and all would have to be looked through for
-- it. The texts are cut to what an index takes. It is made before the sums, as it
-- keeps whoever stores out until they are made, too.
DROP INDEX requests_failed;
CREATE INDEX requests_failed ON requests (account_id, code, time_us DESC, id DESC)
    INCLUDE (error, key_id, key_name, model, provider, route, outcome, cost_nano_usd, baseline_nano_usd)
    WHERE (code <> '' OR error <> '');

-- The sums by hour once more by day since 1970, for long spans.
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
    kept_usd           BIGINT NOT NULL,
    kept_nano          BIGINT NOT NULL,
    input_tokens       BIGINT NOT NULL,
    cache_read_tokens  BIGINT NOT NULL,
    cache_write_tokens BIGINT NOT NULL,
    output_tokens      BIGINT NOT NULL,
    reasoning_tokens   BIGINT NOT NULL,
    latency_us         BIGINT NOT NULL,
    gateway_us         BIGINT NOT NULL,
    PRIMARY KEY (account_id, day, key_id, key_name, model, provider, route, outcome, stream)
) WITH (fillfactor = 70); -- room to change a row in its place
INSERT INTO daily
SELECT account_id, (hour - (hour % 24 + 24) % 24) / 24, key_id, key_name, model, provider, route, outcome, stream,
    SUM(requests), SUM(unpriced), SUM(routed_usd), SUM(routed_nano), SUM(baseline_usd), SUM(baseline_nano),
    SUM(kept_usd), SUM(kept_nano), SUM(input_tokens), SUM(cache_read_tokens), SUM(cache_write_tokens),
    SUM(output_tokens), SUM(reasoning_tokens), SUM(latency_us), SUM(gateway_us)
FROM hourly GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9;
