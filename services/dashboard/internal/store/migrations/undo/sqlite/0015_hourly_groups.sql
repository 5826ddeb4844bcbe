-- An older version that ran on the migrated store may have written some sums of sessions by day.
DELETE FROM group_daily WHERE dimension = 'session';

INSERT INTO group_daily
SELECT account_id, dimension, (hour - (hour % 24 + 24) % 24) / 24, value, CAST(SUM(requests) AS BIGINT), CAST(SUM(unpriced) AS BIGINT),
    CAST(SUM(routed_usd) AS BIGINT), CAST(SUM(routed_nano) AS BIGINT),
    CAST(SUM(baseline_usd) AS BIGINT), CAST(SUM(baseline_nano) AS BIGINT),
    CAST(SUM(saved_usd) AS BIGINT), CAST(SUM(saved_nano) AS BIGINT)
FROM group_hourly WHERE dimension = 'session' GROUP BY 1, 2, 3, 4;

DROP TABLE group_hourly;
