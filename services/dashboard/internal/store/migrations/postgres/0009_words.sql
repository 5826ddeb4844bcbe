-- Indexes for filters by the words that clients and policies choose freely. They find equal
-- values, values with a prefix, and requests without a value, however rare these are. Creating
-- them reads the table four times, about 25 seconds per million requests.
--
-- The indexes are in byte order, so that a prefix is a range in any locale.
DROP INDEX requests_clients, requests_work, requests_labels, requests_session;
CREATE INDEX requests_session ON requests (account_id, session COLLATE "C", time_us DESC, id DESC);
CREATE INDEX requests_user ON requests (account_id, end_user COLLATE "C");
-- These columns have few different values. An entry of the index therefore has many requests,
-- and a search by one of the columns reads the entries of a day in a few milliseconds.
CREATE INDEX requests_origin ON requests (
    account_id, agent COLLATE "C", rule COLLATE "C", endpoint COLLATE "C", protocol COLLATE "C"
);

-- The labels of a request as words: the JSON text between the outer quotes, split into one word
-- such as tag.prod": " or meta.team": "search for each label. A quote inside a name or a value is
-- escaped, so no word is split. An index of such words can find a prefix, unlike one of JSON.
CREATE INDEX requests_labels ON requests USING gin (
    array_to_tsvector(string_to_array(left(substr(labels::text, 3), -2), '", "'))
) WHERE labels <> '{}';
