-- Identity of the database and the states that tools keep in it.
CREATE TABLE engine_catalog.engine_version (
	engine_uuid uuid PRIMARY KEY,
	version text NOT NULL,
	upgraded_on timestamptz NOT NULL DEFAULT now(),
	cli_state jsonb NOT NULL DEFAULT '{}',
	console_state jsonb NOT NULL DEFAULT '{}'
);

-- One row: the version that is in force, and the identity of the stream that counts it.
CREATE TABLE engine_catalog.metadata_version (
	id int PRIMARY KEY DEFAULT 1 CHECK (id = 1),
	stream_id uuid NOT NULL,
	resource_version bigint NOT NULL
);

-- The objects of the document and of the catalogs at that version, one row each, so that
-- the cost of a change follows the change. Their kinds are those of the change stream.
CREATE TABLE engine_catalog.metadata_object (
	kind text NOT NULL,
	source text NOT NULL,
	schema text NOT NULL,
	name text NOT NULL,
	value json NOT NULL,
	PRIMARY KEY (kind, source, schema, name)
);

-- The changes that led there: what isn't published yet is the outbox, the rest is history.
CREATE TABLE engine_catalog.metadata_change (
	version bigint PRIMARY KEY,
	change json NOT NULL,
	published boolean NOT NULL DEFAULT false
);
CREATE INDEX metadata_change_outbox ON engine_catalog.metadata_change (version) WHERE NOT published;
