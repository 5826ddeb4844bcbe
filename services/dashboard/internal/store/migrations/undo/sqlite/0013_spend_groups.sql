-- The sums are computed again by the next upgrade.
DROP TABLE group_daily;
