-- Whether experiments may compare models on requests of the account. The owner decides.
ALTER TABLE accounts ADD COLUMN allow_experiments BOOLEAN NOT NULL DEFAULT FALSE;
