-- object
SELECT t0.[id], t1.[id], t1.[name]
  FROM [dbo].[order] AS t0
  LEFT JOIN [dbo].[customer] AS t1 ON t1.[id] = t0.[customer_id]

-- object of several
SELECT t0.[id], (SELECT TOP (1) t1.[id] AS [c0], t1.[name] AS [c1]
  FROM [dbo].[customer] AS t1
  WHERE t1.[id] = t0.[customer_id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[order] AS t0

-- array
SELECT t0.[id], (SELECT t1.[id] AS [c0], t1.[price] AS [c1]
  FROM [dbo].[order] AS t1
  WHERE t1.[customer_id] = t0.[id]
  ORDER BY t1.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[customer] AS t0

-- array of no columns
SELECT (SELECT NULL AS [c0]
  FROM [dbo].[order] AS t1
  WHERE t1.[customer_id] = t0.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[customer] AS t0

-- array of two columns
SELECT t0.[id], (SELECT t1.[name] AS [c0]
  FROM [sales].[item]]s] AS t1
  WHERE t1.[order_id] = t0.[id] AND t1.[region] = t0.[region]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[order] AS t0

-- array in an array
SELECT t0.[id], (SELECT t1.[id] AS [c0], (SELECT t2.[name] AS [c0]
  FROM [sales].[item]]s] AS t2
  WHERE t2.[order_id] = t1.[id] AND t2.[region] = t1.[region]
  ORDER BY t2.[name] DESC
  FOR JSON PATH, INCLUDE_NULL_VALUES) AS [c1]
  FROM [dbo].[order] AS t1
  WHERE t1.[customer_id] = t0.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[customer] AS t0

-- object in an array
SELECT t0.[id], (SELECT t1.[id] AS [c0], t2.[id] AS [c1], t2.[name] AS [c2]
  FROM [dbo].[order] AS t1
  LEFT JOIN [dbo].[customer] AS t2 ON t2.[id] = t1.[customer_id]
  WHERE t1.[customer_id] = t0.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[customer] AS t0

-- array in an object
SELECT t0.[id], t1.[id], (SELECT t2.[id] AS [c0], t2.[price] AS [c1]
  FROM [dbo].[order] AS t2
  WHERE t2.[customer_id] = t1.[id]
  ORDER BY t2.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[order] AS t0
  LEFT JOIN [dbo].[customer] AS t1 ON t1.[id] = t0.[customer_id]

-- array in an object of several
SELECT t0.[id], (SELECT TOP (1) t1.[id] AS [c0], (SELECT t2.[id] AS [c0], t2.[price] AS [c1]
  FROM [dbo].[order] AS t2
  WHERE t2.[customer_id] = t1.[id]
  ORDER BY t2.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES) AS [c1]
  FROM [dbo].[customer] AS t1
  WHERE t1.[id] = t0.[customer_id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[order] AS t0

-- filtered array
SELECT t0.[id], (SELECT TOP (10) t1.[id] AS [c0], t1.[price] AS [c1]
  FROM [dbo].[order] AS t1
  WHERE t1.[customer_id] = t0.[id] AND t1.[price] > CAST(@p1 AS decimal(38, 18))
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[customer] AS t0

-- page of an array
SELECT t0.[id], (SELECT t1.[id] AS [c0], t1.[price] AS [c1]
  FROM [dbo].[order] AS t1
  WHERE t1.[customer_id] = t0.[id]
  ORDER BY t1.[price] DESC OFFSET 1 ROWS FETCH NEXT 2 ROWS ONLY
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[customer] AS t0

-- aggregate
SELECT t0.[id], (SELECT COUNT_BIG(*) AS [c0], SUM(t1.[price]) AS [c1], AVG(t1.[price]) AS [c2], (SELECT t2.[id] AS [c0], t2.[price] AS [c1]
  FROM [dbo].[order] AS t2
  WHERE t2.[customer_id] = t0.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES) AS [c3]
  FROM [dbo].[order] AS t1
  WHERE t1.[customer_id] = t0.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[customer] AS t0

-- object of a page
SELECT t1.[id], t2.[id], t2.[name]
  FROM (SELECT TOP (5) t0.*
  FROM [dbo].[order] AS t0
  ORDER BY t0.[id]) AS t1
  LEFT JOIN [dbo].[customer] AS t2 ON t2.[id] = t1.[customer_id]
  ORDER BY t1.[id]

-- cells that a role may see
SELECT t0.[id], (CASE WHEN t0.[id] = CAST(@p1 AS int) THEN t0.[name] END)
  FROM [dbo].[customer] AS t0

-- rows of another source
SELECT t0.[ordinal], (SELECT t1.[name] AS [c0]
  FROM [sales].[item]]s] AS t1
  WHERE t1.[order_id] = t0.[id] AND t1.[region] = t0.[region]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM (SELECT CAST(k.[c0] AS int) AS [id], CAST(k.[c1] AS varchar(max)) AS [region], k.[n] + 1 AS [ordinal]
  FROM OPENJSON(@p1) WITH ([n] int '$[0]', [c0] nvarchar(max) '$[1]', [c1] nvarchar(max) '$[2]') AS k) AS t0

-- rows that were written
SELECT t0.[id], (SELECT TOP (1) t1.[id] AS [c0], t1.[name] AS [c1]
  FROM [dbo].[customer] AS t1
  WHERE t1.[id] = t0.[customer_id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM (SELECT w.[n] AS [?n], CAST(w.[c0] AS int) AS [id], CAST(w.[c1] AS int) AS [customer_id], w.[c2] AS [price], CONVERT(varbinary(max), w.[c3], 1) AS [data]
  FROM OPENJSON(@p1) WITH ([n] int '$[0]', [c0] nvarchar(max) '$[1]', [c1] nvarchar(max) '$[2]', [c2] nvarchar(max) '$[3]', [c3] nvarchar(max) '$[4]') AS w) AS t0
  ORDER BY t0.[?n]

