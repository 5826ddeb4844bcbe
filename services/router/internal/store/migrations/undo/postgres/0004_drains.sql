-- Deletes drains and their history.
DROP TABLE drain_events;
DROP TABLE drains;
