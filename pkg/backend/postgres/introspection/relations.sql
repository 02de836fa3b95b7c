-- Tables and views of all schemas that belong to users. The estimate of a relation that was
-- never analyzed, or that stores nothing, is -1.
SELECT
	c.oid,
	n.nspname,
	c.relname,
	c.relkind,
	CASE WHEN c.relkind IN ('v', 'f') OR c.relpages = 0 AND c.reltuples = 0 THEN -1 ELSE c.reltuples END,
	d.description,
	CASE WHEN c.relkind = 'v' THEN pg_catalog.pg_relation_is_updatable(c.oid, true) END,
	c.relispartition OR EXISTS (
		SELECT FROM pg_catalog.pg_depend x
		WHERE x.classid = 'pg_catalog.pg_namespace'::regclass AND x.objid = n.oid AND x.deptype = 'e'
	),
	c.relrowsecurity
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_catalog.pg_description d
	ON d.classoid = 'pg_catalog.pg_class'::regclass AND d.objoid = c.oid AND d.objsubid = 0
WHERE c.relkind IN ('r', 'v', 'm', 'f', 'p')
	AND n.nspname !~ '^pg_' AND n.nspname NOT IN ('information_schema', 'engine_catalog')
	/* only tables c.oid */
ORDER BY n.nspname COLLATE "C", c.relname COLLATE "C"
