-- number
SET NOCOUNT ON;
DELETE t0
  FROM [dbo].[order] AS t0
  WHERE t0.[id] = CAST(@p1 AS int);
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
DELETE t0
  OUTPUT DELETED.[id], DELETED.[price]
  INTO #written ([id], [price])
  FROM [dbo].[order] AS t0
  WHERE t0.[id] = CAST(@p1 AS int);
SELECT t1.[id] AS [?read], t1.[price]
  FROM #written AS t1;
DROP TABLE #written;

-- all rows
SET NOCOUNT ON;
DELETE t0
  FROM [dbo].[order] AS t0;
SELECT @@ROWCOUNT AS [?read];

-- by key
SET NOCOUNT ON;
SELECT [id]
  INTO #written
  FROM [dbo].[order]
  WHERE 1 = 0
  UNION ALL SELECT [id]
  FROM [dbo].[order]
  WHERE 1 = 0;
DELETE t0
  OUTPUT DELETED.[id]
  INTO #written ([id])
  FROM [dbo].[order] AS t0
  WHERE t0.[id] = CAST(@p1 AS int);
SELECT t1.[id] AS [?read]
  FROM #written AS t1;
DROP TABLE #written;

-- condition on other rows
SET NOCOUNT ON;
SELECT [id]
  INTO #written
  FROM [dbo].[order]
  WHERE 1 = 0
  UNION ALL SELECT [id]
  FROM [dbo].[order]
  WHERE 1 = 0;
DELETE t0
  OUTPUT DELETED.[id]
  INTO #written ([id])
  FROM [dbo].[order] AS t0
  WHERE EXISTS (SELECT 1
  FROM [dbo].[customer] AS t1
  WHERE t1.[id] = t0.[customer_id] AND t1.[name] = @p1);
SELECT t2.[id] AS [?read]
  FROM #written AS t2;
DROP TABLE #written;

-- self
SET NOCOUNT ON;
DELETE t0
  FROM [dbo].[order] AS t0
  WHERE EXISTS (SELECT 1
  FROM [dbo].[order] AS t1
  WHERE t1.[parent_id] = t0.[id]);
SELECT @@ROWCOUNT AS [?read];

-- keyword
SET NOCOUNT ON;
DELETE t0
  FROM [dbo].[select] AS t0
  WHERE t0.[from] = @p1;
SELECT @@ROWCOUNT AS [?read];

