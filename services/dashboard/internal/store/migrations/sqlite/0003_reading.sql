-- Failures are few, and looked for the most.
CREATE INDEX requests_failed ON requests (account_id, code, time_us DESC, id DESC) WHERE (code <> '' OR error <> '');
CREATE INDEX requests_client ON requests (client_request_id) WHERE client_request_id <> '';

-- Following the feed of one account, past those of all others.
CREATE INDEX feed_account ON feed (account_id, position);
