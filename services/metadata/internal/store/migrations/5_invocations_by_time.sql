-- Calls are counted by periods of time, of all triggers or of one: without these, that would read the whole log.
CREATE INDEX engine_cron_event_invocations_created_at ON engine_catalog.engine_cron_event_invocation_logs (created_at);
CREATE INDEX engine_scheduled_event_invocations_created_at ON engine_catalog.engine_scheduled_event_invocation_logs (created_at);
