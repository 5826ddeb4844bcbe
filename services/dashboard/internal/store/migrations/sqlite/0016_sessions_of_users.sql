-- The newest sessions of a user. Without it, the page reads the sessions of all users until it has
-- enough. Creating it reads the table of sessions once.
CREATE INDEX sessions_of_users ON sessions (account_id, end_user, ended_us DESC, session DESC);
