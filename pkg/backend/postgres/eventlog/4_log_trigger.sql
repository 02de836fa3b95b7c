-- log_trigger says which triggers have their events made from the log of the database, and from where on
-- in it: rows are added, and who reads that log finds them there. The last row of a trigger counts; its
-- relation is NULL once the trigger has ended. seen tells that the reader has come to the row.
CREATE TABLE engine_catalog.log_trigger (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  trigger_name text NOT NULL,
  relation oid,
  operations text[] NOT NULL DEFAULT '{}',
  on_replication boolean NOT NULL DEFAULT false,
  archive boolean NOT NULL DEFAULT false,
  seen boolean NOT NULL DEFAULT false
);
-- log_position is the commit up to which events were made. It changes in the transactions that make them.
CREATE TABLE engine_catalog.log_position (slot text NOT NULL, lsn text NOT NULL);
CREATE UNIQUE INDEX log_position_one_row ON engine_catalog.log_position ((slot IS NOT NULL));
