-- The log for watchers says what is out of date and no more; who did what is
-- in the audit trail. Instances from before still write the other columns.
ALTER TABLE changes ALTER COLUMN user_id SET DEFAULT '', ALTER COLUMN action SET DEFAULT '', ALTER COLUMN at_us SET DEFAULT 0;

-- An invite belongs to the account it was made in, also one that makes a new
-- account: somebody must be able to see and to end it.
ALTER TABLE invites ADD COLUMN id TEXT DEFAULT gen_random_uuid()::TEXT, ADD COLUMN new_account BOOLEAN NOT NULL DEFAULT FALSE,
    ADD COLUMN user_id TEXT NOT NULL DEFAULT '';
UPDATE invites SET id = gen_random_uuid()::TEXT;
UPDATE invites SET new_account = TRUE, account_id = (SELECT a.id FROM accounts a WHERE a.operator)
WHERE account_id IS NULL;
ALTER TABLE invites ALTER COLUMN id SET NOT NULL, ALTER COLUMN account_id SET NOT NULL, ADD UNIQUE (id);
CREATE INDEX invites_account ON invites (account_id, created_us);
CREATE INDEX users_account ON users (account_id, created_us);

-- One-time tokens that set a new password, at most one a person.
CREATE TABLE resets (
    user_id    TEXT PRIMARY KEY REFERENCES users (id),
    account_id TEXT NOT NULL REFERENCES accounts (id),
    hash       BYTEA NOT NULL UNIQUE,
    expires_us BIGINT NOT NULL
);

-- Last uses are beside the keys, so that noting one changes no key.
CREATE TABLE uses (
    key_id     TEXT PRIMARY KEY REFERENCES keys (id),
    account_id TEXT NOT NULL REFERENCES accounts (id),
    used_us    BIGINT NOT NULL,
    address    TEXT NOT NULL
);

-- Versions are counted by account: nobody learns how busy the others are.
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

-- The second wall between accounts. It binds connections that have set
-- signalbox.fence, as all do from here on; instances from before, which know of
-- no fence, go on working beside the new ones until they are replaced. A transaction sees the rows of the account
-- it has named in signalbox.account; without one it sees none. The few ways
-- across accounts are named in signalbox.across, each open where it is needed;
-- they find rows, and write none of another account but last uses. The owner
-- of the tables is bound as well: a later migration that touches rows sets
-- signalbox.across to migration.
ALTER TABLE accounts ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY fence ON accounts
    USING (id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.across', TRUE) IN ('verify', 'session', 'operator', 'migration'))
    WITH CHECK (id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.across', TRUE) = 'migration');

ALTER TABLE users ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY fence ON users
    USING (account_id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.across', TRUE) IN ('email', 'session', 'migration'))
    WITH CHECK (account_id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.across', TRUE) = 'migration');

ALTER TABLE sessions ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY fence ON sessions
    USING (account_id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.across', TRUE) IN ('session', 'migration'))
    WITH CHECK (account_id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.across', TRUE) = 'migration');

ALTER TABLE invites ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY fence ON invites
    USING (account_id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.across', TRUE) IN ('token', 'migration'))
    WITH CHECK (account_id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.across', TRUE) = 'migration');

ALTER TABLE resets ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY fence ON resets
    USING (account_id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.across', TRUE) IN ('token', 'migration'))
    WITH CHECK (account_id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.across', TRUE) = 'migration');

ALTER TABLE keys ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY fence ON keys
    USING (account_id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.across', TRUE) IN ('verify', 'use', 'migration'))
    WITH CHECK (account_id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.across', TRUE) = 'migration');

ALTER TABLE uses ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY fence ON uses
    USING (account_id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.across', TRUE) IN ('use', 'migration'))
    WITH CHECK (account_id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.across', TRUE) IN ('use', 'migration'));

ALTER TABLE changes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY fence ON changes
    USING (account_id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.across', TRUE) IN ('watch', 'migration'))
    WITH CHECK (account_id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.across', TRUE) = 'migration');

-- What is in the trail stays: no policy lets a row be changed or taken out.
ALTER TABLE audit ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY fence_select ON audit FOR SELECT USING (account_id = current_setting('signalbox.account', TRUE));
CREATE POLICY fence_insert ON audit FOR INSERT WITH CHECK (account_id = current_setting('signalbox.account', TRUE));

-- See above: instances from before the fence.
CREATE POLICY before_the_fence ON accounts
    USING (COALESCE(current_setting('signalbox.fence', TRUE), '') = '')
    WITH CHECK (COALESCE(current_setting('signalbox.fence', TRUE), '') = '');
CREATE POLICY before_the_fence ON users
    USING (COALESCE(current_setting('signalbox.fence', TRUE), '') = '')
    WITH CHECK (COALESCE(current_setting('signalbox.fence', TRUE), '') = '');
CREATE POLICY before_the_fence ON sessions
    USING (COALESCE(current_setting('signalbox.fence', TRUE), '') = '')
    WITH CHECK (COALESCE(current_setting('signalbox.fence', TRUE), '') = '');
CREATE POLICY before_the_fence ON invites
    USING (COALESCE(current_setting('signalbox.fence', TRUE), '') = '')
    WITH CHECK (COALESCE(current_setting('signalbox.fence', TRUE), '') = '');
CREATE POLICY before_the_fence ON keys
    USING (COALESCE(current_setting('signalbox.fence', TRUE), '') = '')
    WITH CHECK (COALESCE(current_setting('signalbox.fence', TRUE), '') = '');
CREATE POLICY before_the_fence ON changes
    USING (COALESCE(current_setting('signalbox.fence', TRUE), '') = '')
    WITH CHECK (COALESCE(current_setting('signalbox.fence', TRUE), '') = '');
