-- The session, the end user, the policy rule and the labels of a request: the tags of its
-- key and its metadata, such as {"meta.team":"search","tag.prod":""}. No row is rewritten:
-- the database stores the defaults once, with the table.
ALTER TABLE requests
    ADD COLUMN session   TEXT   NOT NULL DEFAULT '',
    ADD COLUMN end_user  TEXT   NOT NULL DEFAULT '',
    ADD COLUMN side_call BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN rule      TEXT   NOT NULL DEFAULT '',
    ADD COLUMN labels    JSONB  NOT NULL DEFAULT '{}';

-- The requests of one session, in order.
CREATE INDEX requests_session ON requests (account_id, session, time_us DESC, id DESC) WHERE session <> '';
CREATE INDEX requests_labels ON requests USING gin (labels) WHERE labels <> '{}';
-- This index finds rare values, like requests_ranges. Creating it reads the table once,
-- about one second per million requests.
CREATE INDEX requests_work ON requests USING brin (
    endpoint text_bloom_ops (n_distinct_per_range = 16),
    rule     text_bloom_ops (n_distinct_per_range = 32),
    end_user text_bloom_ops (n_distinct_per_range = 300)
) WITH (pages_per_range = 32, autosummarize = on);

-- The sums of each session. An insert adds the requests that it stores. The sums of a
-- session stay until its last request expires. A sum is at most 4 * 10^18.
CREATE TABLE sessions (
    account_id         TEXT   NOT NULL,
    session            TEXT   NOT NULL,
    agent              TEXT   NOT NULL,
    end_user           TEXT   NOT NULL,
    started_us         BIGINT NOT NULL,
    ended_us           BIGINT NOT NULL,
    requests           BIGINT NOT NULL,
    side_calls         BIGINT NOT NULL,
    errors             BIGINT NOT NULL,
    unpriced           BIGINT NOT NULL,
    cost_nano_usd      BIGINT NOT NULL,
    saved_nano_usd     BIGINT NOT NULL,
    input_tokens       BIGINT NOT NULL,
    cache_read_tokens  BIGINT NOT NULL,
    cache_write_tokens BIGINT NOT NULL,
    PRIMARY KEY (account_id, session)
) WITH (fillfactor = 70); -- leaves space to update a row in its page
CREATE INDEX sessions_newest ON sessions (account_id, ended_us DESC, session DESC);
