-- Tokens with which programs call the dashboard's API as a user. scopes is a JSON array.
-- used_us is written at most once an hour. ON DELETE CASCADE lets an older keyauth, which does
-- not know the table, remove a user.
CREATE TABLE api_tokens (
    id         TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    hash       BYTEA NOT NULL UNIQUE,
    prefix     TEXT NOT NULL,
    name       TEXT NOT NULL,
    scopes     TEXT NOT NULL,
    created_us BIGINT NOT NULL,
    expires_us BIGINT NOT NULL,
    used_us    BIGINT
);
CREATE INDEX api_tokens_user ON api_tokens (account_id, user_id, created_us);

-- The people that an OpenID Connect issuer has identified. Only issuer and subject identify
-- a person, never the e-mail address.
CREATE TABLE identities (
    issuer     TEXT NOT NULL,
    subject    TEXT NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    PRIMARY KEY (issuer, subject)
);
CREATE INDEX identities_user ON identities (account_id, user_id);

-- The issuer that proved the identity at the sign-in; empty for a password.
ALTER TABLE sessions ADD COLUMN issuer TEXT NOT NULL DEFAULT '';

ALTER TABLE api_tokens ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY isolation ON api_tokens
    USING (account_id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.cross_account', TRUE) IN ('session', 'migration'))
    WITH CHECK (account_id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.cross_account', TRUE) = 'migration');

ALTER TABLE identities ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY isolation ON identities
    USING (account_id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.cross_account', TRUE) IN ('email', 'migration'))
    WITH CHECK (account_id = current_setting('signalbox.account', TRUE)
        OR current_setting('signalbox.cross_account', TRUE) = 'migration');
