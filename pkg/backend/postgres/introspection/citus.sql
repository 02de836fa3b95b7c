-- The tables that Citus manages; any other is on the coordinator alone. The schema of the view differs between versions.
SELECT c.oid, t.citus_table_type, t.distribution_column, t.colocation_id
FROM %s.citus_tables t
JOIN pg_catalog.pg_class c ON c.oid = t.table_name
WHERE true
	/* only tables c.oid */
