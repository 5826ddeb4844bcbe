-- The indexes of past days become parts of these.
CREATE INDEX requests_by_cost ON requests (account_id, cost_nano_usd, time_us) WHERE cost_nano_usd IS NOT NULL;
CREATE INDEX requests_by_saved ON requests (account_id, (CAST(baseline_nano_usd AS NUMERIC) - cost_nano_usd), time_us)
    WHERE cost_nano_usd IS NOT NULL AND baseline_nano_usd IS NOT NULL;
CREATE INDEX requests_by_latency ON requests (account_id, latency_us, time_us);
CREATE INDEX requests_by_ttft ON requests (account_id, ttft_us, time_us) WHERE ttft_us > 0;
CREATE INDEX requests_by_tokens ON requests (
    account_id, (CAST(input_tokens AS NUMERIC) + cache_read_tokens + cache_write_tokens + output_tokens), time_us
);
