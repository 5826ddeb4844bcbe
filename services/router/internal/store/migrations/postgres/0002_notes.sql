ALTER TABLE versions ADD COLUMN note TEXT NOT NULL DEFAULT '';
ALTER TABLE activations ADD COLUMN note TEXT NOT NULL DEFAULT '';

-- The text under which it came into force, where that is not the kept one: the
-- same meaning may be written anew.
ALTER TABLE activations ADD COLUMN document TEXT;
CREATE INDEX activations_version ON activations (version, id);
