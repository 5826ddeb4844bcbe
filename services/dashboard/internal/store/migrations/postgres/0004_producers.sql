-- What the producers of records said of themselves last. Sent is the highest
-- number that was ever given, held the first that the producer still has; at_us
-- is its clock and tells its words apart, seen_us is ours.
CREATE TABLE producers (
    producer TEXT   NOT NULL PRIMARY KEY,
    host     TEXT   NOT NULL,
    sent     BIGINT NOT NULL,
    held     BIGINT NOT NULL,
    lost     BIGINT NOT NULL,
    refused  BIGINT NOT NULL,
    at_us    BIGINT NOT NULL,
    first_us BIGINT NOT NULL,
    seen_us  BIGINT NOT NULL
);
