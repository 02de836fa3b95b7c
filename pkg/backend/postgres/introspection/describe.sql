-- The columns, constraints and indexes of a table ($1 schema, $2 name), as one JSON value: catalog.Details.
-- A foreign key to a partitioned table has a row for each partition besides; they are left out.
SELECT pg_catalog.json_build_object(
	'columns', coalesce((
		SELECT pg_catalog.json_agg(pg_catalog.json_build_object(
			'name', a.attname,
			'type', pg_catalog.format_type(a.atttypid, a.atttypmod),
			'nullable', NOT a.attnotnull,
			'default', CASE WHEN a.attgenerated = '' THEN pg_catalog.pg_get_expr(d.adbin, d.adrelid, true) END,
			'generated', CASE WHEN a.attgenerated <> '' THEN pg_catalog.pg_get_expr(d.adbin, d.adrelid, true) END,
			'identity', CASE a.attidentity WHEN 'a' THEN 'always' WHEN 'd' THEN 'by_default' END,
			'values', (SELECT pg_catalog.json_agg(e.enumlabel ORDER BY e.enumsortorder) FROM pg_catalog.pg_enum e WHERE e.enumtypid IN (t.oid, t.typbasetype)),
			'description', pg_catalog.col_description(c.oid, a.attnum)
		) ORDER BY a.attnum)
		FROM pg_catalog.pg_attribute a
		JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
		LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum AND a.atthasdef
		WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
	), '[]'),
	'constraints', coalesce((
		SELECT pg_catalog.json_agg(pg_catalog.json_build_object(
			'name', k.conname,
			'type', CASE k.contype WHEN 'p' THEN 'primary_key' WHEN 'u' THEN 'unique' WHEN 'f' THEN 'foreign_key' WHEN 'c' THEN 'check' ELSE 'exclusion' END,
			'columns', pg_catalog.array_to_json(ARRAY(
				SELECT a.attname FROM pg_catalog.unnest(k.conkey) WITH ORDINALITY x (number, place)
				JOIN pg_catalog.pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = x.number ORDER BY x.place)),
			'definition', pg_catalog.pg_get_constraintdef(k.oid, true)
		) ORDER BY k.conname COLLATE "C")
		FROM pg_catalog.pg_constraint k
		LEFT JOIN pg_catalog.pg_constraint parent ON parent.oid = k.conparentid
		WHERE k.conrelid = c.oid AND k.contype IN ('p', 'u', 'f', 'c', 'x') AND parent.conrelid IS DISTINCT FROM k.conrelid
	), '[]'),
	'indexes', coalesce((
		SELECT pg_catalog.json_agg(pg_catalog.json_build_object(
			'name', x.relname,
			'method', m.amname,
			'columns', pg_catalog.array_to_json(ARRAY(
				SELECT pg_catalog.pg_get_indexdef(i.indexrelid, n, true) FROM pg_catalog.generate_series(1, i.indnkeyatts::int) n)),
			'include', pg_catalog.array_to_json(ARRAY(
				SELECT pg_catalog.pg_get_indexdef(i.indexrelid, n, true) FROM pg_catalog.generate_series(i.indnkeyatts + 1, i.indnatts::int) n)),
			'unique', i.indisunique,
			'where', pg_catalog.pg_get_expr(i.indpred, i.indrelid, true),
			'invalid', NOT (i.indisvalid AND i.indisready),
			'definition', pg_catalog.pg_get_indexdef(i.indexrelid)
		) ORDER BY x.relname COLLATE "C")
		FROM pg_catalog.pg_index i
		JOIN pg_catalog.pg_class x ON x.oid = i.indexrelid
		JOIN pg_catalog.pg_am m ON m.oid = x.relam
		WHERE i.indrelid = c.oid
	), '[]')
)
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relname = $2
