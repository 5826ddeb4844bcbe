-- The log for watchers says what is out of date and no more; who did what is
-- in the audit trail.
ALTER TABLE changes DROP COLUMN user_id;
ALTER TABLE changes DROP COLUMN action;
ALTER TABLE changes DROP COLUMN at_us;

-- An invite belongs to the account it was made in, also one that makes a new
-- account: somebody must be able to see and to end it.
CREATE TABLE invites_new (
    hash        BLOB PRIMARY KEY,
    account_id  TEXT NOT NULL REFERENCES accounts (id),
    role        TEXT NOT NULL,
    created_us  BIGINT NOT NULL,
    expires_us  BIGINT NOT NULL,
    id          TEXT NOT NULL UNIQUE,
    new_account BOOLEAN NOT NULL,
    user_id     TEXT NOT NULL
);
INSERT INTO invites_new (hash, account_id, role, created_us, expires_us, id, new_account, user_id)
SELECT hash, COALESCE(account_id, (SELECT a.id FROM accounts a WHERE a.operator)), role, created_us, expires_us,
    lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-8'
        || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))),
    account_id IS NULL, ''
FROM invites;
DROP TABLE invites;
ALTER TABLE invites_new RENAME TO invites;
CREATE INDEX invites_account ON invites (account_id, created_us);
CREATE INDEX users_account ON users (account_id, created_us);

-- One-time tokens that set a new password, at most one a person.
CREATE TABLE resets (
    user_id    TEXT PRIMARY KEY REFERENCES users (id),
    account_id TEXT NOT NULL REFERENCES accounts (id),
    hash       BLOB NOT NULL UNIQUE,
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

-- What is in the trail stays.
CREATE TRIGGER audit_update BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit trail is not changed'); END;
CREATE TRIGGER audit_delete BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit trail is not changed'); END;
