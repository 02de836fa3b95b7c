-- asc
SELECT t0.[id]
  FROM [dbo].[order] AS t0
  ORDER BY t0.[price]

-- asc_nulls_first
SELECT t0.[id]
  FROM [dbo].[order] AS t0
  ORDER BY t0.[price]

-- asc_nulls_last
SELECT t0.[id]
  FROM [dbo].[order] AS t0
  ORDER BY CASE WHEN t0.[price] IS NULL THEN 1 ELSE 0 END, t0.[price]

-- desc
SELECT t0.[id]
  FROM [dbo].[order] AS t0
  ORDER BY t0.[price] DESC

-- desc_nulls_first
SELECT t0.[id]
  FROM [dbo].[order] AS t0
  ORDER BY CASE WHEN t0.[price] IS NULL THEN 0 ELSE 1 END, t0.[price] DESC

-- desc_nulls_last
SELECT t0.[id]
  FROM [dbo].[order] AS t0
  ORDER BY t0.[price] DESC

-- two keys
SELECT t0.[id]
  FROM [dbo].[order] AS t0
  ORDER BY t0.[price] DESC, t0.[id]

-- a key twice
SELECT t0.[id]
  FROM [dbo].[order] AS t0
  ORDER BY t0.[id]

-- text of the old type
SELECT t0.[id]
  FROM [dbo].[order] AS t0
  ORDER BY CAST(t0.[note] AS varchar(max))

-- object
SELECT t0.[id]
  FROM [dbo].[order] AS t0
  LEFT JOIN [dbo].[customer] AS t1 ON t1.[id] = t0.[customer_id]
  ORDER BY t1.[name]

-- object of several
SELECT t0.[id]
  FROM [dbo].[order] AS t0
  ORDER BY (SELECT TOP (1) t1.[name]
  FROM [dbo].[customer] AS t1
  WHERE t1.[id] = t0.[customer_id])

-- object that a role may see
SELECT t0.[id]
  FROM [dbo].[order] AS t0
  LEFT JOIN [dbo].[customer] AS t1 ON t1.[id] = t0.[customer_id] AND t1.[id] = CAST(@p1 AS int)
  ORDER BY t1.[name]

-- count
SELECT t0.[id]
  FROM [dbo].[order] AS t0
  ORDER BY (SELECT COUNT_BIG(*)
  FROM [sales].[item]]s] AS t1
  WHERE t1.[order_id] = t0.[id] AND t1.[region] = t0.[region]) DESC

-- average
SELECT t0.[id]
  FROM [dbo].[order] AS t0
  ORDER BY (SELECT AVG(CAST(t1.[id] AS float))
  FROM [sales].[item]]s] AS t1
  WHERE t1.[order_id] = t0.[id] AND t1.[region] = t0.[region])

-- nulls last of an aggregate
SELECT t0.[id]
  FROM [dbo].[order] AS t0
  ORDER BY CASE WHEN (SELECT MAX(t1.[id])
  FROM [sales].[item]]s] AS t1
  WHERE t1.[order_id] = t0.[id] AND t1.[region] = t0.[region]) IS NULL THEN 1 ELSE 0 END, (SELECT MAX(t1.[id])
  FROM [sales].[item]]s] AS t1
  WHERE t1.[order_id] = t0.[id] AND t1.[region] = t0.[region])

