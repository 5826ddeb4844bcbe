-- Deletes group budgets and the users and agents that keys pin.
DELETE FROM spend WHERE key_id LIKE 'budget/%';
ALTER TABLE keys DROP COLUMN pinned_agent;
ALTER TABLE keys DROP COLUMN pinned_user;
DROP TABLE budgets;
