-- rows
SELECT t0.[id], t0.[name]
  FROM (SELECT q.[id], q.[name]
  FROM (SELECT id, name
  FROM customer
  WHERE name LIKE @p1 AND id > CAST(@p2 AS int)
) AS q) AS t0

-- filtered page
SELECT TOP (3) t0.[id], t0.[name]
  FROM (SELECT q.[id], q.[name]
  FROM (SELECT id, name
  FROM customer
  WHERE name LIKE @p1 AND id > CAST(@p2 AS int)
) AS q) AS t0
  WHERE t0.[id] > CAST(@p2 AS int)
  ORDER BY t0.[name] DESC

-- related rows
SELECT t0.[id], (SELECT t1.[id] AS [c0]
  FROM [dbo].[order] AS t1
  WHERE t1.[customer_id] = t0.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM (SELECT q.[id], q.[name]
  FROM (SELECT id, name
  FROM customer
  WHERE name LIKE @p1 AND id > CAST(@p2 AS int)
) AS q) AS t0

-- aggregate
SELECT COUNT_BIG(*), MAX(t0.[id])
  FROM (SELECT q.[id], q.[name]
  FROM (SELECT id, name
  FROM customer
  WHERE name LIKE @p1 AND id > CAST(@p2 AS int)
) AS q) AS t0

