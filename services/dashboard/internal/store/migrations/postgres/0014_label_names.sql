-- The names of the labels of each request: its tags, and the names of its metadata. Searches for
-- requests without a label look up the sets of names that match. An account uses few sets, so an
-- entry of the index has many requests. Creating it reads the table once.
CREATE INDEX requests_label_names ON requests (
    account_id, hashtextextended(jsonb_path_query_array(labels, '$.keyvalue().key')::text, 0)
);
