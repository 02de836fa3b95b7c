-- Events of cron triggers: one row for each tick, whatever becomes of it.
CREATE TABLE engine_catalog.engine_cron_events (
	id text PRIMARY KEY DEFAULT gen_random_uuid()::text,
	trigger_name text NOT NULL,
	scheduled_time timestamptz NOT NULL,
	status text NOT NULL DEFAULT 'scheduled' CHECK (status IN ('scheduled', 'locked', 'delivered', 'error', 'dead')),
	tries int NOT NULL DEFAULT 0,
	created_at timestamptz NOT NULL DEFAULT now(),
	next_retry_at timestamptz,
	-- When the event was handed to the delivery stream, while it is locked.
	locked_at timestamptz,
	UNIQUE (trigger_name, scheduled_time)
);
CREATE INDEX engine_cron_events_waiting ON engine_catalog.engine_cron_events
	(coalesce(next_retry_at, scheduled_time)) WHERE status = 'scheduled';
CREATE INDEX engine_cron_events_locked ON engine_catalog.engine_cron_events (locked_at) WHERE status = 'locked';

CREATE TABLE engine_catalog.engine_cron_event_invocation_logs (
	id text PRIMARY KEY DEFAULT gen_random_uuid()::text,
	event_id text NOT NULL REFERENCES engine_catalog.engine_cron_events (id) ON DELETE CASCADE,
	status int,
	request json,
	response json,
	created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX engine_cron_event_invocations_of ON engine_catalog.engine_cron_event_invocation_logs (event_id);

-- One-off events, which hold all that their delivery needs.
CREATE TABLE engine_catalog.engine_scheduled_events (
	id text PRIMARY KEY DEFAULT gen_random_uuid()::text,
	webhook_conf json NOT NULL,
	scheduled_time timestamptz NOT NULL,
	retry_conf json,
	payload json,
	header_conf json,
	status text NOT NULL DEFAULT 'scheduled' CHECK (status IN ('scheduled', 'locked', 'delivered', 'error', 'dead')),
	tries int NOT NULL DEFAULT 0,
	created_at timestamptz NOT NULL DEFAULT now(),
	next_retry_at timestamptz,
	comment text,
	request_transform json,
	response_transform json,
	locked_at timestamptz
);
CREATE INDEX engine_scheduled_events_waiting ON engine_catalog.engine_scheduled_events
	(coalesce(next_retry_at, scheduled_time)) WHERE status = 'scheduled';
CREATE INDEX engine_scheduled_events_locked ON engine_catalog.engine_scheduled_events (locked_at) WHERE status = 'locked';

CREATE TABLE engine_catalog.engine_scheduled_event_invocation_logs (
	id text PRIMARY KEY DEFAULT gen_random_uuid()::text,
	event_id text NOT NULL REFERENCES engine_catalog.engine_scheduled_events (id) ON DELETE CASCADE,
	status int,
	request json,
	response json,
	created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX engine_scheduled_event_invocations_of ON engine_catalog.engine_scheduled_event_invocation_logs (event_id);

-- Who of the schedulers is active, and until when: one row.
CREATE TABLE engine_catalog.scheduler_lease (
	id int PRIMARY KEY DEFAULT 1 CHECK (id = 1),
	holder text NOT NULL,
	expires_at timestamptz NOT NULL,
	-- Identity of the delivery stream that locked events were published to.
	stream text NOT NULL DEFAULT ''
);
