-- both limits
SELECT TOP (3) t0.[id]
  FROM [dbo].[order] AS t0

-- both limits with an object
SELECT t1.[id], t2.[name], t2.[id]
  FROM (SELECT TOP (3) t0.*
  FROM [dbo].[order] AS t0) AS t1
  LEFT JOIN [dbo].[customer] AS t2 ON t2.[id] = t1.[customer_id]

-- limit
SELECT TOP (5) t0.[id]
  FROM [dbo].[order] AS t0

-- limit and filter
SELECT TOP (5) t0.[id]
  FROM [dbo].[order] AS t0
  WHERE t0.[price] > CAST(@p1 AS decimal(38, 18))

-- limit and filter with an object
SELECT t1.[id], t2.[name], t2.[id]
  FROM (SELECT TOP (5) t0.*
  FROM [dbo].[order] AS t0
  WHERE t0.[price] > CAST(@p1 AS decimal(38, 18))) AS t1
  LEFT JOIN [dbo].[customer] AS t2 ON t2.[id] = t1.[customer_id]

-- limit and offset
SELECT t0.[id]
  FROM [dbo].[order] AS t0
  ORDER BY t0.[id] OFFSET 10 ROWS FETCH NEXT 5 ROWS ONLY

-- limit and offset with an object
SELECT t1.[id], t2.[name], t2.[id]
  FROM (SELECT t0.*
  FROM [dbo].[order] AS t0
  ORDER BY t0.[id] OFFSET 10 ROWS FETCH NEXT 5 ROWS ONLY) AS t1
  LEFT JOIN [dbo].[customer] AS t2 ON t2.[id] = t1.[customer_id]
  ORDER BY t1.[id]

-- limit and order
SELECT TOP (5) t0.[id]
  FROM [dbo].[order] AS t0
  ORDER BY t0.[id]

-- limit and order with an object
SELECT t1.[id], t2.[name], t2.[id]
  FROM (SELECT TOP (5) t0.*
  FROM [dbo].[order] AS t0
  ORDER BY t0.[id]) AS t1
  LEFT JOIN [dbo].[customer] AS t2 ON t2.[id] = t1.[customer_id]
  ORDER BY t1.[id]

-- limit of a variable
SELECT TOP (COALESCE(CAST(@p1 AS int), CAST(9223372036854775807 AS bigint))) t0.[id]
  FROM [dbo].[order] AS t0

-- limit of a variable with an object
SELECT t1.[id], t2.[name], t2.[id]
  FROM (SELECT TOP (COALESCE(CAST(@p1 AS int), CAST(9223372036854775807 AS bigint))) t0.*
  FROM [dbo].[order] AS t0) AS t1
  LEFT JOIN [dbo].[customer] AS t2 ON t2.[id] = t1.[customer_id]

-- limit of a variable, role
SELECT TOP (COALESCE((CASE WHEN CAST(@p1 AS int) < 3 THEN CAST(@p1 AS int) ELSE 3 END), CAST(9223372036854775807 AS bigint))) t0.[id]
  FROM [dbo].[order] AS t0

-- limit of a variable, role with an object
SELECT t1.[id], t2.[name], t2.[id]
  FROM (SELECT TOP (COALESCE((CASE WHEN CAST(@p1 AS int) < 3 THEN CAST(@p1 AS int) ELSE 3 END), CAST(9223372036854775807 AS bigint))) t0.*
  FROM [dbo].[order] AS t0) AS t1
  LEFT JOIN [dbo].[customer] AS t2 ON t2.[id] = t1.[customer_id]

-- limit of the role
SELECT TOP (3) t0.[id]
  FROM [dbo].[order] AS t0

-- limit of the role with an object
SELECT t1.[id], t2.[name], t2.[id]
  FROM (SELECT TOP (3) t0.*
  FROM [dbo].[order] AS t0) AS t1
  LEFT JOIN [dbo].[customer] AS t2 ON t2.[id] = t1.[customer_id]

-- limit with an object
SELECT t1.[id], t2.[name], t2.[id]
  FROM (SELECT TOP (5) t0.*
  FROM [dbo].[order] AS t0) AS t1
  LEFT JOIN [dbo].[customer] AS t2 ON t2.[id] = t1.[customer_id]

-- no rows
SELECT TOP (0) t0.[id]
  FROM [dbo].[order] AS t0

-- no rows behind an offset
SELECT TOP (0) t0.[id]
  FROM [dbo].[order] AS t0

-- no rows behind an offset with an object
SELECT t1.[id], t2.[name], t2.[id]
  FROM (SELECT TOP (0) t0.*
  FROM [dbo].[order] AS t0) AS t1
  LEFT JOIN [dbo].[customer] AS t2 ON t2.[id] = t1.[customer_id]

-- no rows with an object
SELECT t1.[id], t2.[name], t2.[id]
  FROM (SELECT TOP (0) t0.*
  FROM [dbo].[order] AS t0) AS t1
  LEFT JOIN [dbo].[customer] AS t2 ON t2.[id] = t1.[customer_id]

-- offset
SELECT t0.[id]
  FROM [dbo].[order] AS t0
  ORDER BY (SELECT NULL) OFFSET 5 ROWS

-- offset and order
SELECT t0.[id]
  FROM [dbo].[order] AS t0
  ORDER BY t0.[id] DESC OFFSET 5 ROWS

-- offset and order with an object
SELECT t1.[id], t2.[name], t2.[id]
  FROM (SELECT t0.*
  FROM [dbo].[order] AS t0
  ORDER BY t0.[id] DESC OFFSET 5 ROWS) AS t1
  LEFT JOIN [dbo].[customer] AS t2 ON t2.[id] = t1.[customer_id]
  ORDER BY t1.[id] DESC

-- offset with an object
SELECT t1.[id], t2.[name], t2.[id]
  FROM (SELECT t0.*
  FROM [dbo].[order] AS t0
  ORDER BY (SELECT NULL) OFFSET 5 ROWS) AS t1
  LEFT JOIN [dbo].[customer] AS t2 ON t2.[id] = t1.[customer_id]

-- role without rows
SELECT TOP (0) t0.[id]
  FROM [dbo].[order] AS t0

-- role without rows with an object
SELECT t1.[id], t2.[name], t2.[id]
  FROM (SELECT TOP (0) t0.*
  FROM [dbo].[order] AS t0) AS t1
  LEFT JOIN [dbo].[customer] AS t2 ON t2.[id] = t1.[customer_id]

-- ties
SELECT TOP (5) WITH TIES t0.[id]
  FROM [dbo].[order] AS t0
  ORDER BY t0.[id]

-- ties with an object
SELECT t1.[id], t2.[name], t2.[id]
  FROM (SELECT TOP (5) WITH TIES t0.*
  FROM [dbo].[order] AS t0
  ORDER BY t0.[id]) AS t1
  LEFT JOIN [dbo].[customer] AS t2 ON t2.[id] = t1.[customer_id]
  ORDER BY t1.[id]

-- variables
SELECT t0.[id]
  FROM [dbo].[order] AS t0
  WHERE COALESCE(CAST(@p1 AS int), CAST(9223372036854775807 AS bigint)) > 0
  ORDER BY t0.[id] OFFSET (COALESCE(CAST(@p2 AS int), 0)) ROWS FETCH NEXT (CASE WHEN COALESCE(CAST(@p1 AS int), CAST(9223372036854775807 AS bigint)) > 0 THEN COALESCE(CAST(@p1 AS int), CAST(9223372036854775807 AS bigint)) ELSE 1 END) ROWS ONLY

-- variables with an object
SELECT t1.[id], t2.[name], t2.[id]
  FROM (SELECT t0.*
  FROM [dbo].[order] AS t0
  WHERE COALESCE(CAST(@p1 AS int), CAST(9223372036854775807 AS bigint)) > 0
  ORDER BY t0.[id] OFFSET (COALESCE(CAST(@p2 AS int), 0)) ROWS FETCH NEXT (CASE WHEN COALESCE(CAST(@p1 AS int), CAST(9223372036854775807 AS bigint)) > 0 THEN COALESCE(CAST(@p1 AS int), CAST(9223372036854775807 AS bigint)) ELSE 1 END) ROWS ONLY) AS t1
  LEFT JOIN [dbo].[customer] AS t2 ON t2.[id] = t1.[customer_id]
  ORDER BY t1.[id]

-- by key
SELECT t0.[id], t0.[price]
  FROM [dbo].[order] AS t0
  WHERE t0.[id] = CAST(@p1 AS int)

