-- How many rows a table ($1 schema, $2 name) has by the statistics, with those of its partitions and of what inherits from it, as one JSON
-- value; null where one of them was never analyzed.
WITH RECURSIVE part (oid) AS (
	SELECT c.oid FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = $2
	UNION
	SELECT i.inhrelid FROM pg_catalog.pg_inherits i JOIN part p ON p.oid = i.inhparent
)
SELECT coalesce(pg_catalog.to_json(CASE WHEN bool_and(c.reltuples >= 0 AND (c.reltuples > 0 OR c.relpages > 0)) THEN sum(c.reltuples::float8)::bigint END), 'null')
FROM part p JOIN pg_catalog.pg_class c ON c.oid = p.oid
WHERE c.relkind IN ('r', 'm', 'f')
