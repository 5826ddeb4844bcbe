-- The table has one row. version counts the changes of accounts and keys, and
-- spend_version counts the changes of spend. pepper_check shows whether the pepper,
-- the secret that protects the keys, is the right one. version starts at 1, because
-- a watcher sends 0 to start at the latest version.
CREATE TABLE installation (
    id            INTEGER PRIMARY KEY CHECK (id = 1),
    version       BIGINT NOT NULL,
    pepper_check  BYTEA,
    spend_version BIGINT NOT NULL DEFAULT 0
);
INSERT INTO installation (id, version) VALUES (1, 1);

-- The limits of an account apply to all of its keys together; 0 means no limit.
-- webhook_secret is encrypted, so that a copy of the store does not reveal it.
CREATE TABLE accounts (
    id                  TEXT PRIMARY KEY,
    name                TEXT NOT NULL,
    baseline_model      TEXT NOT NULL,
    capture             TEXT NOT NULL,
    content_days        INTEGER NOT NULL,
    operator            BOOLEAN NOT NULL,
    created_us          BIGINT NOT NULL,
    claim_hash          BYTEA,
    requests_per_minute BIGINT NOT NULL DEFAULT 0,
    tokens_per_minute   BIGINT NOT NULL DEFAULT 0,
    concurrent_requests BIGINT NOT NULL DEFAULT 0,
    nano_usd_per_day    BIGINT NOT NULL DEFAULT 0,
    nano_usd_per_month  BIGINT NOT NULL DEFAULT 0,
    webhook_url         TEXT NOT NULL DEFAULT '',
    webhook_secret      BYTEA
);
CREATE UNIQUE INDEX accounts_operator ON accounts (operator) WHERE operator;

CREATE TABLE users (
    id            TEXT PRIMARY KEY,
    account_id    TEXT NOT NULL REFERENCES accounts (id),
    email         TEXT NOT NULL UNIQUE,
    role          TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    created_us    BIGINT NOT NULL
);
CREATE INDEX users_account ON users (account_id, created_us);

CREATE TABLE sessions (
    id         TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    user_id    TEXT NOT NULL REFERENCES users (id),
    hash       BYTEA NOT NULL UNIQUE,
    created_us BIGINT NOT NULL,
    seen_us    BIGINT NOT NULL,
    client     TEXT NOT NULL
);
CREATE INDEX sessions_user ON sessions (user_id, created_us);

-- An invite belongs to the account that created it, even if it is for a new account.
-- The owners of that account can list and revoke it. user_id is the user who created
-- the invite. It is empty if the operator's command line created it.
CREATE TABLE invites (
    hash        BYTEA PRIMARY KEY,
    account_id  TEXT NOT NULL REFERENCES accounts (id),
    role        TEXT NOT NULL,
    created_us  BIGINT NOT NULL,
    expires_us  BIGINT NOT NULL,
    id          TEXT NOT NULL UNIQUE,
    new_account BOOLEAN NOT NULL,
    user_id     TEXT NOT NULL
);
CREATE INDEX invites_account ON invites (account_id, created_us);

-- One-time tokens that set a new password, at most one per user.
CREATE TABLE password_resets (
    user_id    TEXT PRIMARY KEY REFERENCES users (id),
    account_id TEXT NOT NULL REFERENCES accounts (id),
    hash       BYTEA NOT NULL UNIQUE,
    expires_us BIGINT NOT NULL
);

CREATE TABLE keys (
    id                  TEXT PRIMARY KEY,
    account_id          TEXT NOT NULL REFERENCES accounts (id),
    mac                 BYTEA NOT NULL UNIQUE,
    prefix              TEXT NOT NULL,
    name                TEXT NOT NULL,
    scopes              TEXT NOT NULL,
    models              TEXT NOT NULL,
    tags                TEXT NOT NULL,
    may_swap_model      BOOLEAN NOT NULL,
    baseline_model      TEXT NOT NULL,
    capture             TEXT NOT NULL,
    error_format        TEXT NOT NULL,
    expires_us          BIGINT,
    requests_per_minute BIGINT NOT NULL,
    tokens_per_minute   BIGINT NOT NULL,
    concurrent_requests BIGINT NOT NULL,
    nano_usd_per_day    BIGINT NOT NULL,
    nano_usd_per_month  BIGINT NOT NULL,
    created_us          BIGINT NOT NULL,
    revoked_us          BIGINT,
    replaced_by         TEXT NOT NULL
);
CREATE INDEX keys_account ON keys (account_id, created_us);

-- The last use of each key. The table is separate, so that storing a use does not
-- lock the row of the key.
CREATE TABLE key_uses (
    key_id     TEXT PRIMARY KEY REFERENCES keys (id),
    account_id TEXT NOT NULL REFERENCES accounts (id),
    used_us    BIGINT NOT NULL,
    address    TEXT NOT NULL
);

-- The change log. Watchers read it to find out which keys have changed. It contains
-- only ids. If key_id is empty, the change affects all keys of the account.
CREATE TABLE changes (
    version    BIGINT PRIMARY KEY,
    account_id TEXT NOT NULL,
    key_id     TEXT NOT NULL
);

-- The audit log. Each account has its own version counter. A shared counter would
-- reveal how active other accounts are.
CREATE TABLE audit (
    account_id  TEXT NOT NULL REFERENCES accounts (id),
    version     BIGINT NOT NULL,
    at_us       BIGINT NOT NULL,
    user_id     TEXT NOT NULL,
    email       TEXT NOT NULL,
    action      TEXT NOT NULL,
    subject     TEXT NOT NULL,
    before_json TEXT NOT NULL,
    after_json  TEXT NOT NULL,
    PRIMARY KEY (account_id, version)
);

-- The spend that the ledger reported for a UTC day (YYYY-MM-DD) or month (YYYY-MM). If
-- key_id is empty, the row is the total of the account. Every change gives the row a
-- new version, so that watchers find the change. notified_percent is the percentage in
-- the last notice. notified_limit is the limit at that time.
CREATE TABLE spend (
    account_id       TEXT NOT NULL REFERENCES accounts (id),
    key_id           TEXT NOT NULL,
    period           TEXT NOT NULL,
    nano_usd         BIGINT NOT NULL,
    version          BIGINT NOT NULL,
    notified_percent BIGINT NOT NULL,
    notified_limit   BIGINT NOT NULL,
    PRIMARY KEY (account_id, key_id, period)
);
CREATE INDEX spend_period ON spend (period, version);

-- Notices that wait for delivery to a webhook. Before a delivery, due_us is moved into
-- the future. If the delivery has not finished at that time, the notice is due again.
CREATE TABLE notices (
    id         TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    body       TEXT NOT NULL,
    tries      INTEGER NOT NULL,
    due_us     BIGINT NOT NULL
);
CREATE INDEX notices_due ON notices (due_us);
CREATE INDEX notices_account ON notices (account_id);

-- Row security separates accounts even if a query forgets its WHERE clause. A
-- transaction can access the rows of one account: the one in signalbox.account. If
-- this setting is empty, it can access no rows. An operation that needs rows of all
-- accounts sets signalbox.cross_account to its purpose. The policy of each table lists
-- the purposes that may access all of its rows. Only reports of key uses and spend,
-- deliveries of notices and migrations can insert or update rows of all accounts. FORCE
-- applies the policies to the owner of the tables too. So a later migration that
-- accesses rows must set signalbox.cross_account to 'migration'.
ALTER TABLE accounts ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY isolation ON accounts
    USING (id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.cross_account', TRUE) IN ('verify', 'session', 'operator', 'spend', 'migration'))
    WITH CHECK (id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.cross_account', TRUE) = 'migration');

ALTER TABLE users ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY isolation ON users
    USING (account_id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.cross_account', TRUE) IN ('email', 'session', 'migration'))
    WITH CHECK (account_id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.cross_account', TRUE) = 'migration');

ALTER TABLE sessions ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY isolation ON sessions
    USING (account_id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.cross_account', TRUE) IN ('session', 'migration'))
    WITH CHECK (account_id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.cross_account', TRUE) = 'migration');

ALTER TABLE invites ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY isolation ON invites
    USING (account_id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.cross_account', TRUE) IN ('token', 'migration'))
    WITH CHECK (account_id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.cross_account', TRUE) = 'migration');

ALTER TABLE password_resets ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY isolation ON password_resets
    USING (account_id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.cross_account', TRUE) IN ('token', 'migration'))
    WITH CHECK (account_id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.cross_account', TRUE) = 'migration');

ALTER TABLE keys ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY isolation ON keys
    USING (account_id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.cross_account', TRUE) IN ('verify', 'use', 'spend', 'migration'))
    WITH CHECK (account_id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.cross_account', TRUE) = 'migration');

ALTER TABLE key_uses ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY isolation ON key_uses
    USING (account_id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.cross_account', TRUE) IN ('use', 'migration'))
    WITH CHECK (account_id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.cross_account', TRUE) IN ('use', 'migration'));

ALTER TABLE changes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY isolation ON changes
    USING (account_id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.cross_account', TRUE) IN ('watch', 'migration'))
    WITH CHECK (account_id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.cross_account', TRUE) = 'migration');

ALTER TABLE spend ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY isolation ON spend
    USING (account_id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.cross_account', TRUE) IN ('spend', 'migration'))
    WITH CHECK (account_id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.cross_account', TRUE) IN ('spend', 'migration'));

ALTER TABLE notices ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY isolation ON notices
    USING (account_id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.cross_account', TRUE) IN ('notice', 'migration'))
    WITH CHECK (account_id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.cross_account', TRUE) IN ('notice', 'migration'));

-- The audit log has no policy for UPDATE or DELETE, because its rows never change.
ALTER TABLE audit ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY isolation_select ON audit FOR SELECT USING (account_id = current_setting('signalbox.account', TRUE));
CREATE POLICY isolation_insert ON audit FOR INSERT WITH CHECK (account_id = current_setting('signalbox.account', TRUE));
-- Policies do not apply to TRUNCATE or to superusers. Triggers do.
CREATE FUNCTION reject_audit_change() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'the audit trail cannot be changed'; END $$;
CREATE TRIGGER audit_change BEFORE UPDATE OR DELETE ON audit FOR EACH ROW EXECUTE FUNCTION reject_audit_change();
CREATE TRIGGER audit_truncate BEFORE TRUNCATE ON audit FOR EACH STATEMENT EXECUTE FUNCTION reject_audit_change();
