-- number
SET NOCOUNT ON;
UPDATE t0 SET [price] = @p1
  FROM [dbo].[order] AS t0
  WHERE t0.[id] = CAST(@p2 AS int);
SELECT @@ROWCOUNT AS [?read];

-- rows
SET NOCOUNT ON;
SELECT [id], [price]
  INTO #written
  FROM [dbo].[order]
  WHERE 1 = 0
  UNION ALL SELECT [id], [price]
  FROM [dbo].[order]
  WHERE 1 = 0;
UPDATE t0 SET [price] = @p1
  OUTPUT INSERTED.[id], INSERTED.[price]
  INTO #written ([id], [price])
  FROM [dbo].[order] AS t0
  WHERE t0.[id] = CAST(@p2 AS int);
SELECT t1.[id] AS [?read], t1.[price]
  FROM #written AS t1;
DROP TABLE #written;

-- all rows
SET NOCOUNT ON;
UPDATE t0 SET [price] = @p1
  FROM [dbo].[order] AS t0;
SELECT @@ROWCOUNT AS [?read];

-- by key
SET NOCOUNT ON;
SELECT [id], [price]
  INTO #written
  FROM [dbo].[order]
  WHERE 1 = 0
  UNION ALL SELECT [id], [price]
  FROM [dbo].[order]
  WHERE 1 = 0;
UPDATE t0 SET [price] = @p1
  OUTPUT INSERTED.[id], INSERTED.[price]
  INTO #written ([id], [price])
  FROM [dbo].[order] AS t0
  WHERE t0.[id] = CAST(@p2 AS int);
SELECT t1.[id] AS [?read], t1.[price]
  FROM #written AS t1;
DROP TABLE #written;

-- increment
SET NOCOUNT ON;
UPDATE t0 SET [price] = t0.[price] + CAST(@p1 AS decimal(38, 18))
  FROM [dbo].[order] AS t0
  WHERE t0.[id] = CAST(@p2 AS int);
SELECT @@ROWCOUNT AS [?read];

-- default and null
SET NOCOUNT ON;
UPDATE t0 SET [price] = DEFAULT, [region] = CAST(NULL AS varchar(max))
  FROM [dbo].[order] AS t0
  WHERE t0.[id] = CAST(@p1 AS int);
SELECT @@ROWCOUNT AS [?read];

-- check
SET NOCOUNT ON;
SELECT [price]
  INTO #written
  FROM [dbo].[order]
  WHERE 1 = 0
  UNION ALL SELECT [price]
  FROM [dbo].[order]
  WHERE 1 = 0;
UPDATE t0 SET [price] = @p1
  OUTPUT INSERTED.[price]
  INTO #written ([price])
  FROM [dbo].[order] AS t0
  WHERE t0.[id] = CAST(@p2 AS int);
SELECT CASE WHEN t1.[price] > CAST(@p3 AS decimal(38, 18)) THEN 1 ELSE 0 END AS [?read]
  FROM #written AS t1;
DROP TABLE #written;

-- check of other rows
SET NOCOUNT ON;
SELECT [customer_id], [id]
  INTO #written
  FROM [dbo].[order]
  WHERE 1 = 0
  UNION ALL SELECT [customer_id], [id]
  FROM [dbo].[order]
  WHERE 1 = 0;
UPDATE t0 SET [price] = @p1
  OUTPUT INSERTED.[customer_id], INSERTED.[id]
  INTO #written ([customer_id], [id])
  FROM [dbo].[order] AS t0
  WHERE t0.[id] = CAST(@p2 AS int);
SELECT t1.[id] AS [?read], CASE WHEN EXISTS (SELECT 1
  FROM [dbo].[customer] AS t2
  WHERE t2.[id] = t1.[customer_id] AND t2.[name] = @p3) THEN 1 ELSE 0 END
  FROM #written AS t1;
DROP TABLE #written;

-- condition on other rows
SET NOCOUNT ON;
UPDATE t0 SET [price] = @p1
  FROM [dbo].[order] AS t0
  WHERE EXISTS (SELECT 1
  FROM [dbo].[customer] AS t1
  WHERE t1.[id] = t0.[customer_id] AND t1.[name] = @p2);
SELECT @@ROWCOUNT AS [?read];

-- names of types
SET NOCOUNT ON;
UPDATE t0 SET [price] = @p1
  FROM [dbo].[order] AS t0
  WHERE t0.[id] = CAST(@p2 AS int);
SELECT @@ROWCOUNT AS [?read];

-- cells that a role may see
SET NOCOUNT ON;
SELECT [id], [price]
  INTO #written
  FROM [dbo].[order]
  WHERE 1 = 0
  UNION ALL SELECT [id], [price]
  FROM [dbo].[order]
  WHERE 1 = 0;
UPDATE t0 SET [price] = @p1
  OUTPUT INSERTED.[id], INSERTED.[price]
  INTO #written ([id], [price])
  FROM [dbo].[order] AS t0
  WHERE t0.[id] = CAST(@p2 AS int);
SELECT (CASE WHEN t1.[id] = CAST(@p3 AS int) THEN t1.[price] END) AS [?read]
  FROM #written AS t1;
DROP TABLE #written;

