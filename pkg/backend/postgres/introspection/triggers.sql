-- The triggers of a table ($1 schema, $2 name) that somebody made, as one JSON value: those of catalog.Details.
SELECT coalesce(pg_catalog.json_agg(pg_catalog.json_build_object(
	'name', t.tgname,
	'disabled', t.tgenabled = 'D',
	'definition', pg_catalog.pg_get_triggerdef(t.oid, true)
) ORDER BY t.tgname COLLATE "C"), '[]')
FROM pg_catalog.pg_trigger t
JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relname = $2 AND NOT t.tgisinternal
