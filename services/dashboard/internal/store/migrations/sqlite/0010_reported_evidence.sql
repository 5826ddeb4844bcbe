-- Whether the router knows a rating. Existing ratings are reported as well.
ALTER TABLE evidence ADD COLUMN reported BIGINT NOT NULL DEFAULT 0;
CREATE INDEX evidence_unreported ON evidence (created_us) WHERE reported = 0 AND kind = 'feedback';
