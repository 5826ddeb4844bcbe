-- The session, the end user, the policy rule and the labels of a request: the tags of its
-- key and its metadata, such as {"meta.team":"search","tag.prod":""}. No row is rewritten:
-- the database stores the defaults once, with the table.
ALTER TABLE requests ADD COLUMN session TEXT NOT NULL DEFAULT '';
ALTER TABLE requests ADD COLUMN end_user TEXT NOT NULL DEFAULT '';
ALTER TABLE requests ADD COLUMN side_call INTEGER NOT NULL DEFAULT 0;
ALTER TABLE requests ADD COLUMN rule TEXT NOT NULL DEFAULT '';
ALTER TABLE requests ADD COLUMN labels TEXT NOT NULL DEFAULT '{}';

CREATE INDEX requests_session ON requests (account_id, session, time_us DESC, id DESC) WHERE session <> '';
CREATE INDEX requests_user ON requests (account_id, end_user, time_us DESC, id DESC) WHERE end_user <> '';
CREATE INDEX requests_agent ON requests (account_id, agent, time_us DESC, id DESC) WHERE agent <> '';
CREATE INDEX requests_rule ON requests (account_id, rule, time_us DESC, id DESC) WHERE rule <> '';
CREATE INDEX requests_protocol ON requests (account_id, protocol, time_us DESC, id DESC) WHERE protocol <> 'chat';
CREATE INDEX requests_endpoint ON requests (account_id, endpoint, time_us DESC, id DESC) WHERE endpoint <> 'chat';

-- The labels by value, as an index would have them. Triggers fill it from requests.
CREATE TABLE request_labels (
    label_account TEXT    NOT NULL,
    label_key     TEXT    NOT NULL,
    label_value   TEXT    NOT NULL,
    label_time    INTEGER NOT NULL,
    label_id      BLOB    NOT NULL,
    PRIMARY KEY (label_account, label_key, label_value, label_time DESC, label_id DESC)
) WITHOUT ROWID;
CREATE TRIGGER requests_labels_insert AFTER INSERT ON requests WHEN new.labels <> '{}'
BEGIN
    INSERT INTO request_labels
    SELECT new.account_id, key, value, new.time_us, new.id FROM json_each(new.labels) WHERE true
    ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER requests_labels_delete AFTER DELETE ON requests WHEN old.labels <> '{}'
BEGIN
    DELETE FROM request_labels
    WHERE label_account = old.account_id AND label_time = old.time_us AND label_id = old.id
        AND (label_key, label_value) IN (SELECT key, value FROM json_each(old.labels));
END;

-- The sums of each session. An insert adds the requests that it stores. The sums of a
-- session stay until its last request expires. A sum is at most 4 * 10^18.
CREATE TABLE sessions (
    account_id         TEXT    NOT NULL,
    session            TEXT    NOT NULL,
    agent              TEXT    NOT NULL,
    end_user           TEXT    NOT NULL,
    started_us         INTEGER NOT NULL,
    ended_us           INTEGER NOT NULL,
    requests           INTEGER NOT NULL,
    side_calls         INTEGER NOT NULL,
    errors             INTEGER NOT NULL,
    unpriced           INTEGER NOT NULL,
    cost_nano_usd      INTEGER NOT NULL,
    saved_nano_usd     INTEGER NOT NULL,
    input_tokens       INTEGER NOT NULL,
    cache_read_tokens  INTEGER NOT NULL,
    cache_write_tokens INTEGER NOT NULL,
    PRIMARY KEY (account_id, session)
) WITHOUT ROWID;
CREATE INDEX sessions_newest ON sessions (account_id, ended_us DESC, session DESC);
