-- A key with which the dashboard sends the playground requests of a user. The column holds
-- the user's id. It is empty for the keys that users create.
ALTER TABLE keys ADD COLUMN playground_user TEXT NOT NULL DEFAULT '';
CREATE UNIQUE INDEX keys_playground ON keys (account_id, playground_user) WHERE playground_user <> '';
