CREATE SCHEMA engine_catalog;
CREATE TABLE engine_catalog.engine_cron_event_invocation_logs (
    id text DEFAULT (gen_random_uuid())::text NOT NULL,
    event_id text NOT NULL,
    status integer,
    request json,
    response json,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE engine_catalog.engine_cron_events (
    id text DEFAULT (gen_random_uuid())::text NOT NULL,
    trigger_name text NOT NULL,
    scheduled_time timestamp with time zone NOT NULL,
    status text DEFAULT 'scheduled'::text NOT NULL,
    tries integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    next_retry_at timestamp with time zone,
    locked_at timestamp with time zone,
    CONSTRAINT engine_cron_events_status_check CHECK ((status = ANY (ARRAY['scheduled'::text, 'locked'::text, 'delivered'::text, 'error'::text, 'dead'::text])))
);
CREATE TABLE engine_catalog.engine_scheduled_event_invocation_logs (
    id text DEFAULT (gen_random_uuid())::text NOT NULL,
    event_id text NOT NULL,
    status integer,
    request json,
    response json,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE engine_catalog.engine_scheduled_events (
    id text DEFAULT (gen_random_uuid())::text NOT NULL,
    webhook_conf json NOT NULL,
    scheduled_time timestamp with time zone NOT NULL,
    retry_conf json,
    payload json,
    header_conf json,
    status text DEFAULT 'scheduled'::text NOT NULL,
    tries integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    next_retry_at timestamp with time zone,
    comment text,
    request_transform json,
    response_transform json,
    locked_at timestamp with time zone,
    CONSTRAINT engine_scheduled_events_status_check CHECK ((status = ANY (ARRAY['scheduled'::text, 'locked'::text, 'delivered'::text, 'error'::text, 'dead'::text])))
);
CREATE TABLE engine_catalog.engine_version (
    engine_uuid uuid NOT NULL,
    version text NOT NULL,
    upgraded_on timestamp with time zone DEFAULT now() NOT NULL,
    cli_state jsonb DEFAULT '{}'::jsonb NOT NULL,
    console_state jsonb DEFAULT '{}'::jsonb NOT NULL
);
CREATE TABLE engine_catalog.metadata_change (
    version bigint NOT NULL,
    change json NOT NULL,
    published boolean DEFAULT false NOT NULL,
    undo json,
    summary json,
    at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE engine_catalog.metadata_object (
    kind text NOT NULL,
    source text NOT NULL,
    schema text NOT NULL,
    name text NOT NULL,
    value json NOT NULL
);
CREATE TABLE engine_catalog.metadata_version (
    id integer DEFAULT 1 NOT NULL,
    stream_id uuid NOT NULL,
    resource_version bigint NOT NULL,
    CONSTRAINT metadata_version_id_check CHECK ((id = 1))
);
CREATE TABLE engine_catalog.scheduler_lease (
    id integer DEFAULT 1 NOT NULL,
    holder text NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    stream text DEFAULT ''::text NOT NULL,
    CONSTRAINT scheduler_lease_id_check CHECK ((id = 1))
);
INSERT INTO engine_catalog.engine_cron_events VALUES ('735f7154-39bd-4bd8-b97c-5a8e6a013d6a', 'every_minute', '2001-11-21 18:23:00+00', 'scheduled', 0, '2001-11-21 18:22:54.295086+00', NULL, NULL);
INSERT INTO engine_catalog.engine_cron_events VALUES ('734724aa-aaa1-461c-8876-16963486ef34', 'every_minute', '2001-11-21 18:24:00+00', 'scheduled', 0, '2001-11-21 18:22:54.295086+00', NULL, NULL);
INSERT INTO engine_catalog.engine_cron_events VALUES ('428cc894-aa00-4710-bc64-bb379446a06e', 'every_minute', '2001-11-21 18:25:00+00', 'scheduled', 0, '2001-11-21 18:22:54.295086+00', NULL, NULL);
INSERT INTO engine_catalog.engine_scheduled_events VALUES ('f93de5c2-6d2e-4a71-b01e-6a1ed7f93b4d', '"{{HOOK}}/once"', '2001-11-21 23:59:00+00', '{"num_retries":0,"retry_interval_seconds":10,"timeout_seconds":60,"tolerance_seconds":3153600000}', '7', '[]', 'scheduled', 0, '2001-11-21 18:22:54.294146+00', NULL, NULL, NULL, NULL, NULL);
INSERT INTO engine_catalog.engine_version VALUES ('8c5222ce-d5bd-4924-880f-b97cd02fed33', '3', '2001-11-21 18:22:53.765698+00', '{}', '{}');
INSERT INTO engine_catalog.metadata_change VALUES (2, '{"stream_id":"8b5119a8-6329-4d48-8f6e-b8581808acb6","version":2,"base":1,"at":"2001-11-21T18:22:53.88558027Z","objects":[{"kind":"source","source":"default","op":"set","value":{"name":"default","kind":"postgres","configuration":{"connection_info":{"database_url":"{{SOURCE}}","isolation_level":"read-committed","pool_settings":{"connection_lifetime":600,"idle_timeout":180,"max_connections":50,"retries":1},"use_prepared_statements":true}}}},{"kind":"catalog","source":"default","op":"set","value":{"version":150018,"extensions":{"plpgsql":"1.0"}}}]}', true, '{"stream_id":"","version":1,"base":0,"at":"2001-11-21T18:22:53.88558027Z","objects":[{"kind":"source","source":"default","op":"remove"}]}', '{"operation":"start","objects":[{"kind":"source","source":"default","op":"set"}],"changed_objects":1}', '2001-11-21 18:22:53.885874+00');
INSERT INTO engine_catalog.metadata_change VALUES (3, '{"stream_id":"8b5119a8-6329-4d48-8f6e-b8581808acb6","version":3,"base":2,"at":"2001-11-21T18:22:54.294968456Z","objects":[{"kind":"table","source":"default","schema":"public","name":"stock","op":"set","value":{"table":{"name":"stock","schema":"public"},"select_permissions":[{"role":"clerk","permission":{"columns":["id"],"filter":{"qty":{"_gt":0}}}}],"event_triggers":[{"name":"stock_changed","definition":{"enable_manual":false,"insert":{"columns":"*"},"update":{"columns":["qty"]},"delete":{"columns":"*"}},"retry_conf":{"num_retries":5,"interval_sec":1,"timeout_sec":60},"webhook":"{{HOOK}}/stock"},{"name":"stock_held","definition":{"enable_manual":false,"insert":{"columns":"*"}},"retry_conf":{"num_retries":5,"interval_sec":1,"timeout_sec":60},"webhook":"{{HOOK}}/hang"}]}},{"kind":"action","name":"restock","op":"set","value":{"name":"restock","definition":{"handler":"{{HOOK}}/restock","output_type":"Receipt!","ignored_client_headers":["Content-Length","Content-MD5","User-Agent","Host","Origin","Referer","Accept","Accept-Encoding","Accept-Language","Accept-Datetime","Cache-Control","Connection","DNT","Content-Type"],"type":"mutation","kind":"asynchronous"}}},{"kind":"cron_trigger","name":"every_minute","op":"set","value":{"name":"every_minute","webhook":"{{HOOK}}/cron","schedule":"* * * * *","include_in_metadata":true}},{"kind":"custom_types","op":"set","value":{"objects":[{"name":"Receipt","fields":[{"name":"ok","type":"Boolean!"}]}]}},{"kind":"catalog_table","source":"default","schema":"public","name":"stock","op":"set","value":{"name":{"name":"stock","schema":"public"},"oid":16680,"kind":"table","columns":[{"name":"id","position":1,"type":{"name":"int4","oid":23},"nullable":false},{"name":"qty","position":2,"type":{"name":"int4","oid":23},"nullable":true}],"primary_key":{"name":"stock_pkey","oid":16684,"columns":["id"]},"insertable":true,"updatable":true,"deletable":true,"row_estimate":-1}}]}', true, '{"stream_id":"","version":2,"base":0,"at":"2001-11-21T18:22:54.294968456Z","objects":[{"kind":"table","source":"default","schema":"public","name":"stock","op":"remove"},{"kind":"action","name":"restock","op":"remove"},{"kind":"cron_trigger","name":"every_minute","op":"remove"},{"kind":"custom_types","op":"remove"}]}', '{"operation":"bulk","objects":[{"kind":"table","source":"default","schema":"public","name":"stock","op":"set"},{"kind":"action","name":"restock","op":"set"},{"kind":"cron_trigger","name":"every_minute","op":"set"},{"kind":"custom_types","op":"set"}],"changed_objects":4}', '2001-11-21 18:22:54.295086+00');
INSERT INTO engine_catalog.metadata_object VALUES ('source', 'default', '', '', '{"name":"default","kind":"postgres","configuration":{"connection_info":{"database_url":"{{SOURCE}}","isolation_level":"read-committed","pool_settings":{"connection_lifetime":600,"idle_timeout":180,"max_connections":50,"retries":1},"use_prepared_statements":true}}}');
INSERT INTO engine_catalog.metadata_object VALUES ('catalog', 'default', '', '', '{"version":150018,"extensions":{"plpgsql":"1.0"}}');
INSERT INTO engine_catalog.metadata_object VALUES ('table', 'default', 'public', 'stock', '{"table":{"name":"stock","schema":"public"},"select_permissions":[{"role":"clerk","permission":{"columns":["id"],"filter":{"qty":{"_gt":0}}}}],"event_triggers":[{"name":"stock_changed","definition":{"enable_manual":false,"insert":{"columns":"*"},"update":{"columns":["qty"]},"delete":{"columns":"*"}},"retry_conf":{"num_retries":5,"interval_sec":1,"timeout_sec":60},"webhook":"{{HOOK}}/stock"},{"name":"stock_held","definition":{"enable_manual":false,"insert":{"columns":"*"}},"retry_conf":{"num_retries":5,"interval_sec":1,"timeout_sec":60},"webhook":"{{HOOK}}/hang"}]}');
INSERT INTO engine_catalog.metadata_object VALUES ('action', '', '', 'restock', '{"name":"restock","definition":{"handler":"{{HOOK}}/restock","output_type":"Receipt!","ignored_client_headers":["Content-Length","Content-MD5","User-Agent","Host","Origin","Referer","Accept","Accept-Encoding","Accept-Language","Accept-Datetime","Cache-Control","Connection","DNT","Content-Type"],"type":"mutation","kind":"asynchronous"}}');
INSERT INTO engine_catalog.metadata_object VALUES ('cron_trigger', '', '', 'every_minute', '{"name":"every_minute","webhook":"{{HOOK}}/cron","schedule":"* * * * *","include_in_metadata":true}');
INSERT INTO engine_catalog.metadata_object VALUES ('custom_types', '', '', '', '{"objects":[{"name":"Receipt","fields":[{"name":"ok","type":"Boolean!"}]}]}');
INSERT INTO engine_catalog.metadata_object VALUES ('catalog_table', 'default', 'public', 'stock', '{"name":{"name":"stock","schema":"public"},"oid":16680,"kind":"table","columns":[{"name":"id","position":1,"type":{"name":"int4","oid":23},"nullable":false},{"name":"qty","position":2,"type":{"name":"int4","oid":23},"nullable":true}],"primary_key":{"name":"stock_pkey","oid":16684,"columns":["id"]},"insertable":true,"updatable":true,"deletable":true,"row_estimate":-1}');
INSERT INTO engine_catalog.metadata_version VALUES (1, '8b5119a8-6329-4d48-8f6e-b8581808acb6', 3);
INSERT INTO engine_catalog.scheduler_lease VALUES (1, 'sv5g4JA7noXAyRm6UATXBJ', '2001-11-21 18:23:07.893328+00', 'sv5g4JA7noXAyRm6UATXZz');
ALTER TABLE ONLY engine_catalog.engine_cron_event_invocation_logs
    ADD CONSTRAINT engine_cron_event_invocation_logs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY engine_catalog.engine_cron_events
    ADD CONSTRAINT engine_cron_events_pkey PRIMARY KEY (id);
ALTER TABLE ONLY engine_catalog.engine_cron_events
    ADD CONSTRAINT engine_cron_events_trigger_name_scheduled_time_key UNIQUE (trigger_name, scheduled_time);
ALTER TABLE ONLY engine_catalog.engine_scheduled_event_invocation_logs
    ADD CONSTRAINT engine_scheduled_event_invocation_logs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY engine_catalog.engine_scheduled_events
    ADD CONSTRAINT engine_scheduled_events_pkey PRIMARY KEY (id);
ALTER TABLE ONLY engine_catalog.engine_version
    ADD CONSTRAINT engine_version_pkey PRIMARY KEY (engine_uuid);
ALTER TABLE ONLY engine_catalog.metadata_change
    ADD CONSTRAINT metadata_change_pkey PRIMARY KEY (version);
ALTER TABLE ONLY engine_catalog.metadata_object
    ADD CONSTRAINT metadata_object_pkey PRIMARY KEY (kind, source, schema, name);
ALTER TABLE ONLY engine_catalog.metadata_version
    ADD CONSTRAINT metadata_version_pkey PRIMARY KEY (id);
ALTER TABLE ONLY engine_catalog.scheduler_lease
    ADD CONSTRAINT scheduler_lease_pkey PRIMARY KEY (id);
CREATE INDEX engine_cron_event_invocations_of ON engine_catalog.engine_cron_event_invocation_logs USING btree (event_id);
CREATE INDEX engine_cron_events_locked ON engine_catalog.engine_cron_events USING btree (locked_at) WHERE (status = 'locked'::text);
CREATE INDEX engine_cron_events_waiting ON engine_catalog.engine_cron_events USING btree (COALESCE(next_retry_at, scheduled_time)) WHERE (status = 'scheduled'::text);
CREATE INDEX engine_scheduled_event_invocations_of ON engine_catalog.engine_scheduled_event_invocation_logs USING btree (event_id);
CREATE INDEX engine_scheduled_events_locked ON engine_catalog.engine_scheduled_events USING btree (locked_at) WHERE (status = 'locked'::text);
CREATE INDEX engine_scheduled_events_waiting ON engine_catalog.engine_scheduled_events USING btree (COALESCE(next_retry_at, scheduled_time)) WHERE (status = 'scheduled'::text);
CREATE INDEX metadata_change_at ON engine_catalog.metadata_change USING btree (at);
CREATE INDEX metadata_change_outbox ON engine_catalog.metadata_change USING btree (version) WHERE (NOT published);
ALTER TABLE ONLY engine_catalog.engine_cron_event_invocation_logs
    ADD CONSTRAINT engine_cron_event_invocation_logs_event_id_fkey FOREIGN KEY (event_id) REFERENCES engine_catalog.engine_cron_events(id) ON DELETE CASCADE;
ALTER TABLE ONLY engine_catalog.engine_scheduled_event_invocation_logs
    ADD CONSTRAINT engine_scheduled_event_invocation_logs_event_id_fkey FOREIGN KEY (event_id) REFERENCES engine_catalog.engine_scheduled_events(id) ON DELETE CASCADE;
