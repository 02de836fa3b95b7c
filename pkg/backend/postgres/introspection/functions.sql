-- Functions of all schemas that belong to users, each overload; no aggregates, window
-- functions and procedures.
SELECT
	p.oid,
	n.nspname,
	p.proname,
	d.description,
	p.provolatile,
	p.provariadic <> 0,
	p.proretset,
	p.prorettype,
	coalesce(p.proallargtypes, ARRAY(SELECT pg_catalog.unnest(p.proargtypes))),
	pg_catalog.array_to_string(p.proargmodes, ''),
	pg_catalog.to_json(p.proargnames),
	p.pronargdefaults
FROM pg_catalog.pg_proc p
JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
LEFT JOIN pg_catalog.pg_description d
	ON d.classoid = 'pg_catalog.pg_proc'::regclass AND d.objoid = p.oid AND d.objsubid = 0
WHERE p.prokind = 'f'
	AND n.nspname !~ '^pg_' AND n.nspname NOT IN ('information_schema', 'engine_catalog')
	/* only functions p.oid */
ORDER BY n.nspname COLLATE "C", p.proname COLLATE "C", p.oid
