-- Sums of each hour by the values that clients choose, as group_daily has them of each day. Without
-- these rows, the spend of a week reads every request, and the spend of a month those of its first
-- and last day. Most sessions end within the hour, so their sums by day would have as many rows:
-- they are deleted. Filling the table reads all requests four times.
CREATE TABLE group_hourly (
    account_id    TEXT NOT NULL,
    dimension     TEXT NOT NULL,
    hour          INTEGER NOT NULL,
    value         TEXT NOT NULL,
    requests      INTEGER NOT NULL,
    unpriced      INTEGER NOT NULL,
    routed_usd    INTEGER NOT NULL,
    routed_nano   INTEGER NOT NULL,
    baseline_usd  INTEGER NOT NULL,
    baseline_nano INTEGER NOT NULL,
    saved_usd     INTEGER NOT NULL,
    saved_nano    INTEGER NOT NULL,
    PRIMARY KEY (account_id, dimension, hour, value)
) WITHOUT ROWID;

INSERT INTO group_hourly
SELECT account_id, 'agent', (time_us - (time_us % 3600000000 + 3600000000) % 3600000000) / 3600000000, agent, COUNT(*),
    COUNT(CASE WHEN cost_nano_usd IS NULL OR baseline_nano_usd IS NULL THEN 1 END),
    COALESCE(CAST(SUM(cost_nano_usd / 1000000000) AS BIGINT), 0),
    COALESCE(CAST(SUM(cost_nano_usd % 1000000000) AS BIGINT), 0),
    COALESCE(CAST(SUM(baseline_nano_usd / 1000000000) AS BIGINT), 0),
    COALESCE(CAST(SUM(baseline_nano_usd % 1000000000) AS BIGINT), 0),
    COALESCE(CAST(SUM(baseline_nano_usd / 1000000000 - cost_nano_usd / 1000000000) AS BIGINT), 0),
    COALESCE(CAST(SUM(baseline_nano_usd % 1000000000 - cost_nano_usd % 1000000000) AS BIGINT), 0)
FROM requests
GROUP BY 1, 2, 3, 4;

INSERT INTO group_hourly
SELECT account_id, 'user', (time_us - (time_us % 3600000000 + 3600000000) % 3600000000) / 3600000000, end_user, COUNT(*),
    COUNT(CASE WHEN cost_nano_usd IS NULL OR baseline_nano_usd IS NULL THEN 1 END),
    COALESCE(CAST(SUM(cost_nano_usd / 1000000000) AS BIGINT), 0),
    COALESCE(CAST(SUM(cost_nano_usd % 1000000000) AS BIGINT), 0),
    COALESCE(CAST(SUM(baseline_nano_usd / 1000000000) AS BIGINT), 0),
    COALESCE(CAST(SUM(baseline_nano_usd % 1000000000) AS BIGINT), 0),
    COALESCE(CAST(SUM(baseline_nano_usd / 1000000000 - cost_nano_usd / 1000000000) AS BIGINT), 0),
    COALESCE(CAST(SUM(baseline_nano_usd % 1000000000 - cost_nano_usd % 1000000000) AS BIGINT), 0)
FROM requests
GROUP BY 1, 2, 3, 4;

INSERT INTO group_hourly
SELECT account_id, 'session', (time_us - (time_us % 3600000000 + 3600000000) % 3600000000) / 3600000000, session, COUNT(*),
    COUNT(CASE WHEN cost_nano_usd IS NULL OR baseline_nano_usd IS NULL THEN 1 END),
    COALESCE(CAST(SUM(cost_nano_usd / 1000000000) AS BIGINT), 0),
    COALESCE(CAST(SUM(cost_nano_usd % 1000000000) AS BIGINT), 0),
    COALESCE(CAST(SUM(baseline_nano_usd / 1000000000) AS BIGINT), 0),
    COALESCE(CAST(SUM(baseline_nano_usd % 1000000000) AS BIGINT), 0),
    COALESCE(CAST(SUM(baseline_nano_usd / 1000000000 - cost_nano_usd / 1000000000) AS BIGINT), 0),
    COALESCE(CAST(SUM(baseline_nano_usd % 1000000000 - cost_nano_usd % 1000000000) AS BIGINT), 0)
FROM requests
GROUP BY 1, 2, 3, 4;

INSERT INTO group_hourly
SELECT account_id, 'tag', (time_us - (time_us % 3600000000 + 3600000000) % 3600000000) / 3600000000, COALESCE(substr(label.key, 5), ''), COUNT(*),
    COUNT(CASE WHEN cost_nano_usd IS NULL OR baseline_nano_usd IS NULL THEN 1 END),
    COALESCE(CAST(SUM(cost_nano_usd / 1000000000) AS BIGINT), 0),
    COALESCE(CAST(SUM(cost_nano_usd % 1000000000) AS BIGINT), 0),
    COALESCE(CAST(SUM(baseline_nano_usd / 1000000000) AS BIGINT), 0),
    COALESCE(CAST(SUM(baseline_nano_usd % 1000000000) AS BIGINT), 0),
    COALESCE(CAST(SUM(baseline_nano_usd / 1000000000 - cost_nano_usd / 1000000000) AS BIGINT), 0),
    COALESCE(CAST(SUM(baseline_nano_usd % 1000000000 - cost_nano_usd % 1000000000) AS BIGINT), 0)
FROM requests LEFT JOIN json_each(requests.labels) AS label ON substr(label.key, 1, 4) = 'tag.'
GROUP BY 1, 2, 3, 4;

DELETE FROM group_daily WHERE dimension = 'session';
