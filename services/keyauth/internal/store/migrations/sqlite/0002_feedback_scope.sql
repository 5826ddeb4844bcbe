-- Keys that may send requests may also send feedback on them. Keys without a list of scopes
-- have every scope already. Proxies learn of the change from the change log.
INSERT INTO changes (version, account_id, key_id)
SELECT installation.version + ROW_NUMBER() OVER (ORDER BY affected.account_id), affected.account_id, ''
FROM installation, (
    SELECT DISTINCT account_id FROM keys
    WHERE (scopes LIKE '%"chat"%' OR scopes LIKE '%"embeddings"%') AND scopes NOT LIKE '%"feedback"%'
) AS affected;
UPDATE installation SET version = (SELECT MAX(changes.version) FROM changes)
WHERE EXISTS (SELECT 1 FROM changes WHERE changes.version > installation.version);

UPDATE keys SET scopes = SUBSTR(scopes, 1, LENGTH(scopes) - 1) || ',"feedback"]'
WHERE (scopes LIKE '%"chat"%' OR scopes LIKE '%"embeddings"%') AND scopes NOT LIKE '%"feedback"%';
