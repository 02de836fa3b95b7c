-- Primary keys, unique constraints and foreign keys, and the unique indexes that stand for
-- no constraint but can answer a conflict: those of whole columns, without a condition.
-- A foreign key to a partitioned table has a row for each partition besides; they are left out.
SELECT k.conrelid, k.contype, k.oid, k.conname, k.conkey, k.confrelid, k.confkey, k.condeferrable
FROM pg_catalog.pg_constraint k
JOIN pg_catalog.pg_namespace n ON n.oid = k.connamespace
LEFT JOIN pg_catalog.pg_constraint parent ON parent.oid = k.conparentid
WHERE k.contype IN ('p', 'u', 'f') AND k.conrelid <> 0
	AND parent.conrelid IS DISTINCT FROM k.conrelid
	AND n.nspname !~ '^pg_' AND n.nspname NOT IN ('information_schema', 'engine_catalog')
	/* only tables k.conrelid */
UNION ALL
SELECT
	i.indrelid,
	'i',
	i.indexrelid,
	c.relname,
	ARRAY(SELECT i.indkey[s] FROM pg_catalog.generate_series(0, i.indnkeyatts - 1) s),
	0,
	NULL,
	false
FROM pg_catalog.pg_index i
JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE i.indisunique AND i.indisvalid AND i.indimmediate AND i.indpred IS NULL AND i.indexprs IS NULL
	AND n.nspname !~ '^pg_' AND n.nspname NOT IN ('information_schema', 'engine_catalog')
	/* only tables i.indrelid */
	AND NOT EXISTS (
		SELECT FROM pg_catalog.pg_constraint k
		WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u', 'x')
	)
ORDER BY 4
