-- A failed request has the baseline cost 0: see ApplyBaselineRule in package record. Older
-- builds stored the cost of its tokens at the baseline model instead.
UPDATE requests SET baseline_nano_usd = 0
WHERE outcome IN ('error', 'interrupted', 'aborted') AND baseline_nano_usd IS NOT 0;

UPDATE hourly SET baseline_usd = 0, baseline_nano = 0, saved_usd = -routed_usd, saved_nano = -routed_nano
WHERE outcome IN ('error', 'interrupted', 'aborted');
-- No baseline cost is unknown any more, so only requests with an unknown cost are unpriced.
UPDATE hourly SET unpriced = (
    SELECT COUNT(*) FROM requests r
    WHERE r.account_id = hourly.account_id AND r.time_us >= hourly.hour * 3600000000 AND r.time_us < (hourly.hour + 1) * 3600000000
      AND r.key_id = hourly.key_id AND r.key_name = hourly.key_name AND r.model = hourly.model AND r.provider = hourly.provider
      AND r.route = hourly.route AND r.outcome = hourly.outcome AND r.stream = hourly.stream AND r.cost_nano_usd IS NULL)
WHERE outcome IN ('error', 'interrupted', 'aborted') AND unpriced > 0;

UPDATE daily SET baseline_usd = 0, baseline_nano = 0, saved_usd = -routed_usd, saved_nano = -routed_nano
WHERE outcome IN ('error', 'interrupted', 'aborted');
-- No baseline cost is unknown any more, so only requests with an unknown cost are unpriced.
UPDATE daily SET unpriced = (
    SELECT COUNT(*) FROM requests r
    WHERE r.account_id = daily.account_id AND r.time_us >= daily.day * 86400000000 AND r.time_us < (daily.day + 1) * 86400000000
      AND r.key_id = daily.key_id AND r.key_name = daily.key_name AND r.model = daily.model AND r.provider = daily.provider
      AND r.route = daily.route AND r.outcome = daily.outcome AND r.stream = daily.stream AND r.cost_nano_usd IS NULL)
WHERE outcome IN ('error', 'interrupted', 'aborted') AND unpriced > 0;
