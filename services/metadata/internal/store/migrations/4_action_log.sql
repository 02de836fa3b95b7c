-- Calls of asynchronous actions: one row for each, whatever becomes of it.
CREATE TABLE engine_catalog.engine_action_log (
	id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
	action_name text NOT NULL,
	input_payload jsonb NOT NULL,
	request_headers jsonb NOT NULL,
	session_variables jsonb NOT NULL,
	response_payload jsonb,
	errors jsonb,
	created_at timestamptz NOT NULL DEFAULT now(),
	response_received_at timestamptz,
	status text NOT NULL DEFAULT 'created' CHECK (status IN ('created', 'processing', 'completed', 'error')),
	-- The version of the metadata that the action was found in.
	metadata_version bigint NOT NULL,
	-- Until when the call is its worker's, while it is processed.
	leased_until timestamptz
);
CREATE INDEX engine_action_log_open ON engine_catalog.engine_action_log (created_at) WHERE status IN ('created', 'processing');
CREATE INDEX engine_action_log_of ON engine_catalog.engine_action_log (action_name);
