SELECT json_agg(s ORDER BY id) FROM (SELECT id, amount FROM sale) s
