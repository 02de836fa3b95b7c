-- taken_at is when the process that makes a clean-up was heard of last: one that dies leaves it to others.
ALTER TABLE engine_catalog.engine_event_log_cleanups ADD COLUMN taken_at timestamptz;
