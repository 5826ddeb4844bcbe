-- A failed request has the baseline cost 0: see ApplyBaselineRule in package record. Older
-- builds stored the cost of its tokens at the baseline model instead. The migration runs in
-- one transaction at a start, so each statement reads each table once.
UPDATE requests SET baseline_nano_usd = 0
WHERE outcome IN ('error', 'interrupted', 'aborted') AND baseline_nano_usd IS DISTINCT FROM 0;

-- No baseline cost is unknown any more, so only requests with an unknown cost are unpriced.
UPDATE hourly SET baseline_usd = 0, baseline_nano = 0, saved_usd = -routed_usd, saved_nano = -routed_nano, unpriced = 0
WHERE outcome IN ('error', 'interrupted', 'aborted');
UPDATE hourly SET unpriced = counted.unpriced
FROM (
    SELECT account_id, (time_us - (time_us % 3600000000 + 3600000000) % 3600000000) / 3600000000 AS hour,
        key_id, key_name, model, provider, route, outcome, stream, COUNT(*) AS unpriced
    FROM requests
    WHERE outcome IN ('error', 'interrupted', 'aborted') AND cost_nano_usd IS NULL
    GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9
) AS counted
WHERE hourly.account_id = counted.account_id AND hourly.hour = counted.hour
    AND hourly.key_id = counted.key_id AND hourly.key_name = counted.key_name AND hourly.model = counted.model
    AND hourly.provider = counted.provider AND hourly.route = counted.route AND hourly.outcome = counted.outcome
    AND hourly.stream = counted.stream;

UPDATE daily SET baseline_usd = 0, baseline_nano = 0, saved_usd = -routed_usd, saved_nano = -routed_nano, unpriced = 0
WHERE outcome IN ('error', 'interrupted', 'aborted');
UPDATE daily SET unpriced = counted.unpriced
FROM (
    SELECT account_id, (hour - (hour % 24 + 24) % 24) / 24 AS day,
        key_id, key_name, model, provider, route, outcome, stream, SUM(unpriced) AS unpriced
    FROM hourly
    WHERE outcome IN ('error', 'interrupted', 'aborted') AND unpriced > 0
    GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9
) AS counted
WHERE daily.account_id = counted.account_id AND daily.day = counted.day
    AND daily.key_id = counted.key_id AND daily.key_name = counted.key_name AND daily.model = counted.model
    AND daily.provider = counted.provider AND daily.route = counted.route AND daily.outcome = counted.outcome
    AND daily.stream = counted.stream;
