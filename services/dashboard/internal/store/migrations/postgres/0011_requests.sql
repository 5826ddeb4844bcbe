-- The orders in which users sort requests. A request without the number is not in the index.
-- Creating the indexes reads the table five times, about ten seconds per million requests.
CREATE INDEX requests_by_cost ON requests (account_id, cost_nano_usd, time_us) WHERE cost_nano_usd IS NOT NULL;
CREATE INDEX requests_by_saved ON requests (account_id, (CAST(baseline_nano_usd AS NUMERIC) - cost_nano_usd), time_us)
    WHERE cost_nano_usd IS NOT NULL AND baseline_nano_usd IS NOT NULL;
CREATE INDEX requests_by_latency ON requests (account_id, latency_us, time_us);
CREATE INDEX requests_by_ttft ON requests (account_id, ttft_us, time_us) WHERE ttft_us > 0;
CREATE INDEX requests_by_tokens ON requests (
    account_id, (CAST(input_tokens AS NUMERIC) + cache_read_tokens + cache_write_tokens + output_tokens), time_us
);

-- Views of the request log that users save: name and address of the page. A shared view
-- belongs to the account, a private one to its author.
CREATE TABLE saved_views (
    id         TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    author_id  TEXT NOT NULL,
    author     TEXT NOT NULL,
    name       TEXT NOT NULL,
    query      TEXT NOT NULL,
    shared     BIGINT NOT NULL,
    created_us BIGINT NOT NULL
);
CREATE INDEX saved_views_account ON saved_views (account_id, created_us);

-- For the comparisons of one request.
CREATE INDEX comparisons_by_request ON comparisons (request_id);
