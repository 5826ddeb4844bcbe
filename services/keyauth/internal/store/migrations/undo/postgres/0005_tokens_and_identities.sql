-- Deletes API tokens and the identities of people who sign in with OpenID Connect.
ALTER TABLE sessions DROP COLUMN issuer;
DROP TABLE identities;
DROP TABLE api_tokens;
