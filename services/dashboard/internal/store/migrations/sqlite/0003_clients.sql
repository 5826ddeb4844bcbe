-- The protocol and the client program of a request. Requests that are already stored are
-- chat completions and embeddings. No row is rewritten: the database stores the defaults
-- once, with the table.
ALTER TABLE requests ADD COLUMN protocol TEXT NOT NULL DEFAULT 'chat';
ALTER TABLE requests ADD COLUMN agent TEXT NOT NULL DEFAULT '';
