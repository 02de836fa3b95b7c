-- The types that columns and functions use, the base types of domains and the elements of
-- arrays; only a type that is its element's array type counts as an array.
WITH RECURSIVE used (oid) AS (
	SELECT unnest($1::oid[])
	UNION
	SELECT x.oid
	FROM used u
	JOIN pg_catalog.pg_type t ON t.oid = u.oid
	CROSS JOIN LATERAL (VALUES (t.typbasetype), (t.typelem)) x (oid)
	WHERE x.oid <> 0
)
SELECT
	t.oid,
	n.nspname,
	t.typname,
	t.typtype,
	t.typbasetype,
	t.typnotnull,
	CASE WHEN e.typarray = t.oid THEN e.oid ELSE 0 END,
	t.typrelid,
	CASE WHEN t.typtype = 'e' THEN pg_catalog.to_json(ARRAY(
		SELECT l.enumlabel FROM pg_catalog.pg_enum l WHERE l.enumtypid = t.oid ORDER BY l.enumsortorder
	)) END
FROM used u
JOIN pg_catalog.pg_type t ON t.oid = u.oid
JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
LEFT JOIN pg_catalog.pg_type e ON e.oid = t.typelem
