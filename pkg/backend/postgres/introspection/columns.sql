-- Their columns, in no order: sorting them all would cost more than sorting those of each.
SELECT
	a.attrelid,
	a.attnum,
	a.attname,
	a.atttypid,
	a.attnotnull,
	a.atthasdef AND a.attgenerated = '',
	a.attidentity,
	a.attgenerated,
	d.description
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_catalog.pg_description d
	ON d.classoid = 'pg_catalog.pg_class'::regclass AND d.objoid = c.oid AND d.objsubid = a.attnum
WHERE c.relkind IN ('r', 'v', 'm', 'f', 'p')
	AND n.nspname !~ '^pg_' AND n.nspname NOT IN ('information_schema', 'engine_catalog')
	/* only tables c.oid */
