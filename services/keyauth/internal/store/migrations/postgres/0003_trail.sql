-- Policies bind neither a TRUNCATE nor a superuser.
CREATE FUNCTION audit_stays() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'the audit trail is not changed'; END $$;
CREATE TRIGGER audit_change BEFORE UPDATE OR DELETE ON audit FOR EACH ROW EXECUTE FUNCTION audit_stays();
CREATE TRIGGER audit_truncate BEFORE TRUNCATE ON audit FOR EACH STATEMENT EXECUTE FUNCTION audit_stays();
