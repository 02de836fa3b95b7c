-- all of int4
SELECT COUNT_BIG(*), AVG(CAST(t0.[value] AS float)), MAX(t0.[value]), MIN(t0.[value]), STDEV(t0.[value]), STDEVP(t0.[value]), SUM(CAST(t0.[value] AS bigint)), VARP(t0.[value]), VAR(t0.[value])
  FROM [dbo].[order] AS t0

-- all of int8
SELECT COUNT_BIG(*), AVG(CAST(t0.[value] AS float)), MAX(t0.[value]), MIN(t0.[value]), STDEV(t0.[value]), STDEVP(t0.[value]), SUM(CAST(t0.[value] AS decimal(38, 0))), VARP(t0.[value]), VAR(t0.[value])
  FROM [dbo].[order] AS t0

-- all of decimal
SELECT COUNT_BIG(*), AVG(t0.[value]), MAX(t0.[value]), MIN(t0.[value]), STDEV(t0.[value]), STDEVP(t0.[value]), SUM(t0.[value]), VARP(t0.[value]), VAR(t0.[value])
  FROM [dbo].[order] AS t0

-- all of float8
SELECT COUNT_BIG(*), AVG(t0.[value]), MAX(t0.[value]), MIN(t0.[value]), STDEV(t0.[value]), STDEVP(t0.[value]), SUM(t0.[value]), VARP(t0.[value]), VAR(t0.[value])
  FROM [dbo].[order] AS t0

-- all of money
SELECT COUNT_BIG(*), AVG(t0.[value]), MAX(t0.[value]), MIN(t0.[value]), STDEV(t0.[value]), STDEVP(t0.[value]), SUM(t0.[value]), VARP(t0.[value]), VAR(t0.[value])
  FROM [dbo].[order] AS t0

-- least and greatest text
SELECT COUNT_BIG(*), MAX(t0.[value]), MIN(t0.[value])
  FROM [dbo].[order] AS t0

-- least and greatest text_old
SELECT COUNT_BIG(*), MAX(CAST(t0.[value] AS varchar(max))), MIN(CAST(t0.[value] AS varchar(max)))
  FROM [dbo].[order] AS t0

-- least and greatest datetime
SELECT COUNT_BIG(*), MAX(t0.[value]), MIN(t0.[value])
  FROM [dbo].[order] AS t0

-- least and greatest uuid
SELECT COUNT_BIG(*), MAX(t0.[value]), MIN(t0.[value])
  FROM [dbo].[order] AS t0

-- count of a column
SELECT COUNT_BIG(t0.[region])
  FROM [dbo].[order] AS t0

-- count of different values
SELECT COUNT_BIG(DISTINCT t0.[region])
  FROM [dbo].[order] AS t0

-- filtered
SELECT COUNT_BIG(*)
  FROM [dbo].[order] AS t0
  WHERE t0.[price] > CAST(@p1 AS decimal(38, 18))

-- of a page
SELECT COUNT_BIG(*), SUM(CAST(t1.[id] AS bigint))
  FROM (SELECT t0.*
  FROM [dbo].[order] AS t0
  ORDER BY t0.[id] DESC OFFSET 2 ROWS FETCH NEXT 5 ROWS ONLY) AS t1

-- and nodes
SELECT COUNT_BIG(*), SUM(CAST(t0.[id] AS bigint)), (SELECT TOP (5) t1.[id] AS [c0], t1.[price] AS [c1]
  FROM [dbo].[order] AS t1
  ORDER BY t1.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[order] AS t0

-- nodes alone
SELECT (SELECT t0.[id] AS [c0]
  FROM [dbo].[order] AS t0
  FOR JSON PATH, INCLUDE_NULL_VALUES)

-- of cells that are seen in some rows
SELECT SUM(t2.[v]), COUNT_BIG(DISTINCT t4.[v])
  FROM [dbo].[order] AS t0 CROSS APPLY (SELECT (CASE WHEN EXISTS (SELECT 1
  FROM [sales].[item]]s] AS t1
  WHERE t1.[order_id] = t0.[id] AND t1.[region] = t0.[region]) THEN t0.[price] END) AS [v]) AS t2 CROSS APPLY (SELECT (CASE WHEN EXISTS (SELECT 1
  FROM [sales].[item]]s] AS t3
  WHERE t3.[order_id] = t0.[id] AND t3.[region] = t0.[region]) THEN t0.[price] END) AS [v]) AS t4

-- order by one of cells that are seen in some rows
SELECT t0.[name]
  FROM [dbo].[customer] AS t0
  ORDER BY CASE WHEN (SELECT MAX(t3.[v])
  FROM [dbo].[order] AS t1 CROSS APPLY (SELECT (CASE WHEN EXISTS (SELECT 1
  FROM [sales].[item]]s] AS t2
  WHERE t2.[order_id] = t1.[id] AND t2.[region] = t1.[region]) THEN t1.[price] END) AS [v]) AS t3
  WHERE t1.[customer_id] = t0.[id]) IS NULL THEN 1 ELSE 0 END, (SELECT MAX(t3.[v])
  FROM [dbo].[order] AS t1 CROSS APPLY (SELECT (CASE WHEN EXISTS (SELECT 1
  FROM [sales].[item]]s] AS t2
  WHERE t2.[order_id] = t1.[id] AND t2.[region] = t1.[region]) THEN t1.[price] END) AS [v]) AS t3
  WHERE t1.[customer_id] = t0.[id])

-- condition on one of cells that are seen in some rows
SELECT t0.[name]
  FROM [dbo].[customer] AS t0
  WHERE (SELECT CASE WHEN SUM(t3.[v]) > CAST(@p1 AS decimal(38, 18)) THEN 1 WHEN NOT (SUM(t3.[v]) > CAST(@p1 AS decimal(38, 18))) THEN 0 END
  FROM [dbo].[order] AS t1 CROSS APPLY (SELECT (CASE WHEN EXISTS (SELECT 1
  FROM [sales].[item]]s] AS t2
  WHERE t2.[order_id] = t1.[id] AND t2.[region] = t1.[region]) THEN t1.[price] END) AS [v]) AS t3
  WHERE t1.[customer_id] = t0.[id]) = 1

-- names of types alone
SELECT NULL

