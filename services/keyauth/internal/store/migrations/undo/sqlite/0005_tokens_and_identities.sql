-- Deletes API tokens, and the identities and sessions of people who sign in with OpenID Connect.
DELETE FROM sessions WHERE issuer <> '';
ALTER TABLE sessions DROP COLUMN issuer;
DROP TABLE identities;
DROP TABLE api_tokens;
