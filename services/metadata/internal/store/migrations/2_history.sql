-- What it takes to look at older versions, and to go back to them: the objects of the
-- document as they were before the change, and what it was in short. Rows from before this
-- migration have neither.
ALTER TABLE engine_catalog.metadata_change
	ADD COLUMN undo json,
	ADD COLUMN summary json,
	ADD COLUMN at timestamptz NOT NULL DEFAULT now();
CREATE INDEX metadata_change_at ON engine_catalog.metadata_change (at);
