-- What all keys of an account together may do, and where its notices go. The
-- secret that signs them is sealed: a copy of the store alone shows none.
ALTER TABLE accounts ADD COLUMN requests_per_minute BIGINT NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN tokens_per_minute BIGINT NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN concurrent_requests BIGINT NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN nano_usd_per_day BIGINT NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN nano_usd_per_month BIGINT NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN webhook_url TEXT NOT NULL DEFAULT '';
ALTER TABLE accounts ADD COLUMN webhook_secret BYTEA;

-- Sums of what was spent, as the ledger has reported it: of a key, or without
-- one of the account, in a UTC day (YYYY-MM-DD) or month (YYYY-MM). A version
-- is taken from the counter by every change, so that watchers find what is new.
-- Told is the last notice that was made of it: how many percent of which limit.
ALTER TABLE installation ADD COLUMN spend_version BIGINT NOT NULL DEFAULT 0;
CREATE TABLE spend (
    account_id   TEXT NOT NULL REFERENCES accounts (id),
    key_id       TEXT NOT NULL,
    period       TEXT NOT NULL,
    nano_usd     BIGINT NOT NULL,
    version      BIGINT NOT NULL,
    told_percent BIGINT NOT NULL,
    told_limit   BIGINT NOT NULL,
    PRIMARY KEY (account_id, key_id, period)
);
CREATE INDEX spend_period ON spend (period, version);

-- Notices that wait to be told to a webhook. One is due again when the time of
-- whoever has taken it is over.
CREATE TABLE notices (
    id         TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    body       TEXT NOT NULL,
    tries      INTEGER NOT NULL,
    due_us     BIGINT NOT NULL
);
CREATE INDEX notices_due ON notices (due_us);
CREATE INDEX notices_account ON notices (account_id);

-- Reports and watches of spend name many accounts at once; notices are taken by
-- when they are due. See the fence of 0002.
ALTER POLICY fence ON accounts
    USING (id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.across', TRUE) IN ('verify', 'session', 'operator', 'spend', 'migration'));
ALTER POLICY fence ON keys
    USING (account_id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.across', TRUE) IN ('verify', 'use', 'spend', 'migration'));

ALTER TABLE spend ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY fence ON spend
    USING (account_id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.across', TRUE) IN ('spend', 'migration'))
    WITH CHECK (account_id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.across', TRUE) IN ('spend', 'migration'));

ALTER TABLE notices ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY fence ON notices
    USING (account_id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.across', TRUE) IN ('notice', 'migration'))
    WITH CHECK (account_id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.across', TRUE) IN ('notice', 'migration'));
