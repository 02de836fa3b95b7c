-- The rows that are gone and those that are new; a changed row is both.
SELECT coalesce(json_agg(change || kind || ' ' || line ORDER BY change DESC, kind, line), '[]') FROM (
  (SELECT '- ' AS change, * FROM before EXCEPT ALL SELECT '- ', * FROM everything) UNION ALL
  (SELECT '+ ', * FROM everything EXCEPT ALL SELECT '+ ', * FROM before)
) AS changes;
