-- Group budgets. kind and value select the requests: key, tag, user or agent, and its value.
-- The value * means each. An amount of 0 means no limit. The spend of a group budget is in the
-- table spend: there key_id is budget/ID, or budget/ID/MEMBER if the budget is for each value.
CREATE TABLE budgets (
    id                 TEXT PRIMARY KEY,
    account_id         TEXT NOT NULL REFERENCES accounts (id),
    name               TEXT NOT NULL,
    kind               TEXT NOT NULL,
    value              TEXT NOT NULL,
    nano_usd_per_hour  BIGINT NOT NULL,
    nano_usd_per_day   BIGINT NOT NULL,
    nano_usd_per_week  BIGINT NOT NULL,
    nano_usd_per_month BIGINT NOT NULL,
    nano_usd_total     BIGINT NOT NULL
);
CREATE UNIQUE INDEX budgets_name ON budgets (account_id, name);

-- The user and the agent of all requests with the key; empty means that clients name them.
ALTER TABLE keys ADD COLUMN pinned_user TEXT NOT NULL DEFAULT '';
ALTER TABLE keys ADD COLUMN pinned_agent TEXT NOT NULL DEFAULT '';

ALTER TABLE budgets ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY isolation ON budgets
    USING (account_id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.cross_account', TRUE) = 'migration')
    WITH CHECK (account_id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.cross_account', TRUE) = 'migration');
