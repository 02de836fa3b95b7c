-- What package doctor wants to know, as one JSON value: doctor.Facts. Tables and functions are those
-- that the engine offers, so extensions' own and PostgreSQL's aren't among them.
SELECT pg_catalog.json_build_object(
	'server', pg_catalog.json_build_object(
		'identity', pg_catalog.pg_postmaster_start_time()::text || ' ' || coalesce(pg_catalog.inet_server_addr()::text, ''),
		'version', pg_catalog.current_setting('server_version'),
		'outdated', CASE WHEN pg_catalog.current_setting('server_version_num')::int < 120000
			THEN 'PostgreSQL ' || pg_catalog.current_setting('server_version') || ' is older than the oldest version that works, 12'
			ELSE '' END,
		'user', current_user,
		'roles', (SELECT pg_catalog.json_object_agg(rolname, pg_catalog.json_build_object(
				'granted', pg_catalog.pg_has_role(oid, 'MEMBER'), 'exempt', rolsuper OR rolbypassrls))
			FROM pg_catalog.pg_roles WHERE rolname !~ '^pg_'),
		-- Transactions of this very query may be made read-only; the default of others is that of the role and the database.
		'read_only', pg_catalog.pg_is_in_recovery() OR coalesce((
			SELECT reset_val = 'on' FROM pg_catalog.pg_settings WHERE name = 'default_transaction_read_only'), false),
		'max_connections', pg_catalog.current_setting('max_connections')::int
			- pg_catalog.current_setting('superuser_reserved_connections')::int,
		'statement_timeout', (SELECT reset_val::bigint FROM pg_catalog.pg_settings WHERE name = 'statement_timeout'),
		'event_triggers', CASE
			WHEN pg_catalog.current_setting('server_version_num')::int < 130000
				AND NOT EXISTS (SELECT FROM pg_catalog.pg_extension WHERE extname = 'pgcrypto')
				THEN 'event triggers need gen_random_uuid, which PostgreSQL before version 13 has from the extension pgcrypto'
			WHEN NOT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = 'engine_catalog')
				AND NOT pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE')
				THEN current_user || ' may not create the schema engine_catalog, which event triggers need'
			WHEN (SELECT NOT pg_catalog.has_schema_privilege(oid, 'CREATE')
				FROM pg_catalog.pg_namespace WHERE nspname = 'engine_catalog')
				THEN current_user || ' may not create tables in the schema engine_catalog, as event triggers need'
			ELSE '' END,
		'event_triggers_remedy', CASE
			WHEN pg_catalog.current_setting('server_version_num')::int < 130000 THEN 'CREATE EXTENSION pgcrypto'
			WHEN EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = 'engine_catalog')
				THEN pg_catalog.format('GRANT ALL ON SCHEMA engine_catalog TO %I', current_user)
			ELSE pg_catalog.format('GRANT CREATE ON DATABASE %I TO %I', pg_catalog.current_database(), current_user) END
	),
	'functions', coalesce((
		SELECT pg_catalog.json_agg(pg_catalog.json_build_object(
			'name', pg_catalog.json_build_object('schema', n.nspname, 'name', p.proname),
			'identifier', pg_catalog.format('%I.%I(%s)', n.nspname, p.proname, pg_catalog.pg_get_function_identity_arguments(p.oid)),
			'may_execute', pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND pg_catalog.has_function_privilege(p.oid, 'EXECUTE')
		))
		FROM pg_catalog.pg_proc p
		JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
		WHERE n.nspname !~ '^pg_' AND n.nspname NOT IN ('information_schema', 'engine_catalog')
			AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend x
				WHERE x.classid = 'pg_catalog.pg_proc'::regclass AND x.objid = p.oid AND x.deptype = 'e')
	), '[]'),
	'tables', coalesce((
		SELECT pg_catalog.json_agg(pg_catalog.json_build_object(
			'name', pg_catalog.json_build_object('schema', n.nspname, 'name', c.relname),
			'identifier', pg_catalog.format('%I.%I', n.nspname, c.relname),
			'kind', CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized_view' WHEN 'f' THEN 'foreign_table'
				WHEN 'p' THEN 'partitioned_table' ELSE 'table' END,
			'row_estimate', CASE WHEN c.relkind IN ('v', 'f') OR c.relpages = 0 AND c.reltuples = 0 THEN -1 ELSE c.reltuples END,
			'unlisted', c.relispartition OR EXISTS (SELECT FROM pg_catalog.pg_depend x
				WHERE x.classid = 'pg_catalog.pg_class'::regclass AND x.objid = c.oid AND x.deptype = 'e'),
			'may_use', pg_catalog.has_schema_privilege(n.oid, 'USAGE'),
			'may_select', NOT EXISTS (SELECT FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0
				AND NOT a.attisdropped AND NOT pg_catalog.has_column_privilege(c.oid, a.attnum, 'SELECT')),
			'may_insert', pg_catalog.has_any_column_privilege(c.oid, 'INSERT'),
			'may_update', pg_catalog.has_any_column_privilege(c.oid, 'UPDATE'),
			'may_delete', pg_catalog.has_table_privilege(c.oid, 'DELETE'),
			'may_trigger', pg_catalog.has_table_privilege(c.oid, 'TRIGGER'),
			'insertable', u.bits & 8 <> 0, 'updatable', u.bits & 4 <> 0, 'deletable', u.bits & 16 <> 0,
			'row_security', pg_catalog.row_security_active(c.oid),
			'columns', (
				SELECT pg_catalog.json_agg(pg_catalog.json_build_object('name', a.attname, 'position', a.attnum,
					'type', pg_catalog.json_build_object('name', e.typname, 'schema', nullif(en.nspname, 'pg_catalog'), 'oid', e.oid::bigint,
						'kind', CASE e.typtype WHEN 'e' THEN 'enum' WHEN 'c' THEN 'composite' WHEN 'r' THEN 'range'
							WHEN 'm' THEN 'range' WHEN 'p' THEN 'pseudo' ELSE '' END,
						'dims', CASE WHEN e.oid <> b.oid THEN 1 ELSE 0 END)
				) ORDER BY a.attnum)
				FROM pg_catalog.pg_attribute a
				JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
				-- The base type of a domain, and of an array its elements.
				JOIN pg_catalog.pg_type b ON b.oid = CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END
				JOIN pg_catalog.pg_type e ON e.oid = CASE WHEN b.typelem <> 0 AND b.typlen = -1 THEN b.typelem ELSE b.oid END
				JOIN pg_catalog.pg_namespace en ON en.oid = e.typnamespace
				WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
			),
			'primary_key', (
				SELECT pg_catalog.json_build_object('name', k.conname, 'columns', pg_catalog.array_to_json(ARRAY(
					SELECT a.attname FROM unnest(k.conkey) WITH ORDINALITY x (num, place)
					JOIN pg_catalog.pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = x.num ORDER BY x.place)))
				FROM pg_catalog.pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'p'
			),
			'foreign_keys', (
				SELECT pg_catalog.json_agg(pg_catalog.json_build_object('name', k.conname,
					'target', pg_catalog.json_build_object('schema', fn.nspname, 'name', f.relname),
					'columns', pg_catalog.array_to_json(ARRAY(
						SELECT a.attname FROM unnest(k.conkey) WITH ORDINALITY x (num, place)
						JOIN pg_catalog.pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = x.num ORDER BY x.place)),
					'target_columns', pg_catalog.array_to_json(ARRAY(
						SELECT a.attname FROM unnest(k.confkey) WITH ORDINALITY x (num, place)
						JOIN pg_catalog.pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = x.num ORDER BY x.place))
				) ORDER BY k.conname)
				FROM pg_catalog.pg_constraint k
				JOIN pg_catalog.pg_class f ON f.oid = k.confrelid
				JOIN pg_catalog.pg_namespace fn ON fn.oid = f.relnamespace
				LEFT JOIN pg_catalog.pg_constraint parent ON parent.oid = k.conparentid
				WHERE k.conrelid = c.oid AND k.contype = 'f' AND parent.conrelid IS DISTINCT FROM k.conrelid
			),
			'indexes', (
				SELECT pg_catalog.json_agg(pg_catalog.json_build_object('name', ic.relname,
					'identifier', pg_catalog.format('%I.%I', n.nspname, ic.relname),
					'unique', i.indisunique, 'valid', i.indisvalid AND i.indisready,
					'partial', i.indpred IS NOT NULL, 'expressions', i.indexprs IS NOT NULL,
					'deferrable', i.indisunique AND NOT i.indimmediate,
					'columns', pg_catalog.array_to_json(ARRAY(
						SELECT a.attname FROM pg_catalog.generate_series(0, i.indnatts - 1) s
						JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[s]
						-- Up to the first expression, which has number 0.
						WHERE NOT EXISTS (SELECT FROM pg_catalog.generate_series(0, s) b WHERE i.indkey[b] = 0)
						ORDER BY s))
				) ORDER BY ic.relname)
				FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class ic ON ic.oid = i.indexrelid
				WHERE i.indrelid = c.oid
			),
			'sequences', (
				SELECT pg_catalog.json_agg(pg_catalog.json_build_object('column', a.attname,
					'identifier', pg_catalog.format('%I.%I', sn.nspname, s.relname),
					'last', CASE WHEN pg_catalog.has_sequence_privilege(s.oid, 'USAGE, SELECT') THEN pg_catalog.pg_sequence_last_value(s.oid) END,
					'limit', least(q.seqmax, CASE a.atttypid WHEN 'int2'::regtype THEN 32767 WHEN 'int4'::regtype THEN 2147483647
						ELSE q.seqmax END),
					-- The sequence of an identity column needs no right of its own.
					'usable', d.deptype = 'i' OR pg_catalog.has_sequence_privilege(s.oid, 'USAGE')
				) ORDER BY a.attnum)
				FROM pg_catalog.pg_depend d
				JOIN pg_catalog.pg_class s ON s.oid = d.objid AND s.relkind = 'S'
				JOIN pg_catalog.pg_namespace sn ON sn.oid = s.relnamespace
				JOIN pg_catalog.pg_sequence q ON q.seqrelid = s.oid AND q.seqincrement > 0 AND NOT q.seqcycle
				JOIN pg_catalog.pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
				WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.refclassid = 'pg_catalog.pg_class'::regclass
					AND d.refobjid = c.oid AND d.deptype IN ('a', 'i')
			)
		) ORDER BY n.nspname, c.relname)
		FROM pg_catalog.pg_class c
		JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
		CROSS JOIN LATERAL (SELECT pg_catalog.pg_relation_is_updatable(c.oid, true) AS bits) u
		WHERE c.relkind IN ('r', 'v', 'm', 'f', 'p')
			AND n.nspname !~ '^pg_' AND n.nspname NOT IN ('information_schema', 'engine_catalog')
	), '[]')
)
