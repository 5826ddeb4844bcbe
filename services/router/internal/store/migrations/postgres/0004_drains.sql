-- What is drained now. An empty provider means every provider of the model, an empty model
-- every model of the provider.
CREATE TABLE drains (
    provider TEXT NOT NULL,
    model    TEXT NOT NULL,
    reason   TEXT NOT NULL,
    author   TEXT NOT NULL,
    since_us BIGINT NOT NULL,
    PRIMARY KEY (provider, model)
);

-- What was drained and resumed. A row is written in the transaction of its change. Other
-- routers read the table drains again when the newest id changes.
CREATE TABLE drain_events (
    id       BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at_us    BIGINT NOT NULL,
    action   TEXT NOT NULL,
    provider TEXT NOT NULL,
    model    TEXT NOT NULL,
    reason   TEXT NOT NULL,
    author   TEXT NOT NULL
);
