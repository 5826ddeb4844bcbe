-- The number belongs to a change that is merged separately.
SELECT 1;
