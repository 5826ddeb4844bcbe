-- REPLACE takes rows out without asking the triggers that guard a DELETE: what
-- comes into the trail comes at its end, and in nobody's place.
CREATE TRIGGER audit_insert BEFORE INSERT ON audit
WHEN NEW.version IS NOT (SELECT COALESCE(MAX(a.version), 0) + 1 FROM audit a WHERE a.account_id = NEW.account_id)
    OR EXISTS (SELECT 1 FROM audit a WHERE a.rowid = NEW.rowid)
BEGIN SELECT RAISE(ABORT, 'the audit trail is not changed'); END;
