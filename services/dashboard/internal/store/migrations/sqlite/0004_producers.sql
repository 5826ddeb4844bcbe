-- What the producers of records said of themselves last. Sent is the highest
-- number that was ever given, held the first that the producer still has; at_us
-- is its clock and tells its words apart, seen_us is ours.
CREATE TABLE producers (
    producer TEXT    NOT NULL PRIMARY KEY,
    host     TEXT    NOT NULL,
    sent     INTEGER NOT NULL,
    held     INTEGER NOT NULL,
    lost     INTEGER NOT NULL,
    refused  INTEGER NOT NULL,
    at_us    INTEGER NOT NULL,
    first_us INTEGER NOT NULL,
    seen_us  INTEGER NOT NULL
);
