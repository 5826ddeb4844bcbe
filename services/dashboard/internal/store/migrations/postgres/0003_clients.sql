-- The protocol and the client program of a request. Requests that are already stored are
-- chat completions and embeddings. No row is rewritten: the database stores the defaults
-- once, with the table.
ALTER TABLE requests
    ADD COLUMN protocol TEXT NOT NULL DEFAULT 'chat',
    ADD COLUMN agent TEXT NOT NULL DEFAULT '';

-- This index finds rare values, like requests_ranges. Creating it reads the table once,
-- about one second per million requests.
CREATE INDEX requests_clients ON requests USING brin (
    protocol text_bloom_ops (n_distinct_per_range = 16),
    agent    text_bloom_ops (n_distinct_per_range = 32)
) WITH (pages_per_range = 32, autosummarize = on);
