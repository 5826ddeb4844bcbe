-- What each stretch of the table holds, in a few bytes: where rare words and
-- unusual sizes are found without an index of rows, which would make every
-- insert slower. New stretches are added by autovacuum; until then they are
-- looked through.
CREATE INDEX requests_stretches ON requests USING brin (
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

-- Failures are few, and looked for the most.
CREATE INDEX requests_failed ON requests (account_id, code, time_us DESC, id DESC) WHERE (code <> '' OR error <> '');

-- Following the feed of one account, past those of all others.
CREATE INDEX feed_account ON feed (account_id, position);
-- Which names there are, found by jumping from one to the next.
CREATE INDEX hourly_names ON hourly (account_id, key_id, key_name, model, provider);
