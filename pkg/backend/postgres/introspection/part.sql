-- The identifiers of tables ($1 schemas, $2 names) and functions ($3, $4), and of the tables
-- that these refer to.
WITH wanted_tables AS (
	SELECT c.oid
	FROM unnest($1::text[], $2::text[]) w (schema, name)
	JOIN pg_catalog.pg_namespace n ON n.nspname = w.schema
	JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = w.name
),
wanted_functions AS (
	SELECT p.oid, p.prorettype || coalesce(p.proallargtypes, ARRAY(SELECT pg_catalog.unnest(p.proargtypes))) AS types
	FROM unnest($3::text[], $4::text[]) w (schema, name)
	JOIN pg_catalog.pg_namespace n ON n.nspname = w.schema
	JOIN pg_catalog.pg_proc p ON p.pronamespace = n.oid AND p.proname = w.name
)
SELECT 't', oid FROM wanted_tables
UNION
SELECT 't', k.confrelid
FROM wanted_tables t
JOIN pg_catalog.pg_constraint k ON k.conrelid = t.oid AND k.contype = 'f'
UNION
SELECT 't', y.typrelid
FROM wanted_functions f
CROSS JOIN LATERAL pg_catalog.unnest(f.types) x (oid)
JOIN pg_catalog.pg_type y ON y.oid = x.oid
WHERE y.typrelid <> 0
UNION
SELECT 'f', oid FROM wanted_functions
