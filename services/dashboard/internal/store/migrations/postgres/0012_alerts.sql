-- Where alerts are sent. address and secret are encrypted with a key outside of the database.
-- quiet_from and quiet_to are minutes since midnight in quiet_zone; equal means none.
CREATE TABLE alert_channels (
    id         TEXT    NOT NULL PRIMARY KEY,
    account_id TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    kind       TEXT    NOT NULL,
    address    BYTEA    NOT NULL,
    secret     BYTEA    NOT NULL,
    quiet_from BIGINT NOT NULL,
    quiet_to   BIGINT NOT NULL,
    quiet_zone TEXT    NOT NULL,
    last_error TEXT    NOT NULL DEFAULT '',
    last_us    BIGINT NOT NULL DEFAULT 0,
    updated_us BIGINT NOT NULL
);
CREATE INDEX alert_channels_account ON alert_channels (account_id, id);

-- When to alert. channels is a JSON list of ids. threshold is in the unit of the kind.
CREATE TABLE alert_rules (
    id             TEXT    NOT NULL PRIMARY KEY,
    account_id     TEXT    NOT NULL,
    name           TEXT    NOT NULL,
    kind           TEXT    NOT NULL,
    threshold      DOUBLE PRECISION    NOT NULL,
    window_seconds BIGINT NOT NULL,
    min_requests   BIGINT NOT NULL,
    enabled        BIGINT NOT NULL,
    channels       TEXT    NOT NULL,
    author_id      TEXT    NOT NULL,
    author         TEXT    NOT NULL,
    updated_us     BIGINT NOT NULL
);
CREATE INDEX alert_rules_account ON alert_rules (account_id, id);

-- Whether a rule fires for a subject. suspect_us is when the value first differed from firing;
-- 0 means that it agrees. revision counts the changes.
CREATE TABLE alert_states (
    rule_id    TEXT    NOT NULL,
    subject    TEXT    NOT NULL,
    account_id TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    firing     BIGINT NOT NULL,
    incident   TEXT    NOT NULL,
    since_us   BIGINT NOT NULL,
    suspect_us BIGINT NOT NULL,
    value      DOUBLE PRECISION    NOT NULL,
    revision   BIGINT NOT NULL,
    PRIMARY KEY (rule_id, subject)
);
CREATE INDEX alert_states_account ON alert_states (account_id);

-- What happened, newest last. Old events are deleted.
CREATE TABLE alert_events (
    id         TEXT    NOT NULL PRIMARY KEY,
    account_id TEXT    NOT NULL,
    rule_id    TEXT    NOT NULL,
    incident   TEXT    NOT NULL,
    firing     BIGINT NOT NULL,
    at_us      BIGINT NOT NULL,
    text       TEXT    NOT NULL
);
CREATE INDEX alert_events_account ON alert_events (account_id, at_us);

-- Messages that wait for delivery. held is 1 if quiet hours delay the first attempt.
CREATE TABLE alert_deliveries (
    id         TEXT    NOT NULL PRIMARY KEY,
    account_id TEXT    NOT NULL,
    channel_id TEXT    NOT NULL,
    incident   TEXT    NOT NULL,
    message    TEXT    NOT NULL,
    held       BIGINT NOT NULL,
    due_us     BIGINT NOT NULL,
    tries      BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX alert_deliveries_due ON alert_deliveries (due_us);
CREATE INDEX alert_deliveries_account ON alert_deliveries (account_id, channel_id);

-- One row: the dashboard that evaluates the rules, and until when; and a check value of the key
-- that encrypts addresses.
CREATE TABLE alert_clock (
    id        SMALLINT PRIMARY KEY CHECK (id = 1),
    holder    TEXT    NOT NULL,
    until_us  BIGINT NOT NULL,
    key_check BYTEA
);
INSERT INTO alert_clock (id, holder, until_us) VALUES (1, '', 0);
