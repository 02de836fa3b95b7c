-- list
SELECT v.[n], (SELECT t0.[id] AS [c0], t0.[price] AS [c1], (SELECT t1.[name] AS [c0]
  FROM [sales].[item]]s] AS t1
  WHERE t1.[order_id] = t0.[id] AND t1.[region] = t0.[region]
  FOR JSON PATH, INCLUDE_NULL_VALUES) AS [c2]
  FROM [dbo].[order] AS t0
  WHERE t0.[price] > CAST(v.[c0] AS decimal(38, 18)) AND t0.[customer_id] = CAST(v.[c1] AS int)
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM OPENJSON(@p1) WITH ([n] int '$[0]', [c0] nvarchar(max) '$[1]', [c1] nvarchar(max) '$[2]') AS v

-- by key
SELECT v.[n], (SELECT t0.[id] AS [c0]
  FROM [dbo].[order] AS t0
  WHERE t0.[id] = CAST(v.[c0] AS int)
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM OPENJSON(@p1) WITH ([n] int '$[0]', [c0] nvarchar(max) '$[1]') AS v

-- aggregate
SELECT v.[n], (SELECT COUNT_BIG(*) AS [c0], SUM(t0.[price]) AS [c1]
  FROM [dbo].[order] AS t0
  WHERE t0.[price] > CAST(v.[c0] AS decimal(38, 18)) AND t0.[customer_id] = CAST(v.[c1] AS int)
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM OPENJSON(@p1) WITH ([n] int '$[0]', [c0] nvarchar(max) '$[1]', [c1] nvarchar(max) '$[2]') AS v

-- aggregate of cells that are seen in some rows
SELECT v.[n], (SELECT SUM(t1.[v]) AS [c0]
  FROM [dbo].[order] AS t0 CROSS APPLY (SELECT (CASE WHEN t0.[customer_id] = CAST(v.[c1] AS int) THEN t0.[price] END) AS [v]) AS t1
  WHERE t0.[price] > CAST(v.[c0] AS decimal(38, 18)) AND t0.[customer_id] = CAST(v.[c1] AS int)
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM OPENJSON(@p1) WITH ([n] int '$[0]', [c0] nvarchar(max) '$[1]', [c1] nvarchar(max) '$[2]') AS v

-- several roots
SELECT v.[n], (SELECT t0.[id] AS [c0], t0.[price] AS [c1], (SELECT t1.[name] AS [c0]
  FROM [sales].[item]]s] AS t1
  WHERE t1.[order_id] = t0.[id] AND t1.[region] = t0.[region]
  FOR JSON PATH, INCLUDE_NULL_VALUES) AS [c2]
  FROM [dbo].[order] AS t0
  WHERE t0.[price] > CAST(v.[c0] AS decimal(38, 18)) AND t0.[customer_id] = CAST(v.[c1] AS int)
  FOR JSON PATH, INCLUDE_NULL_VALUES), (SELECT t2.[name] AS [c0]
  FROM [dbo].[customer] AS t2
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM OPENJSON(@p1) WITH ([n] int '$[0]', [c0] nvarchar(max) '$[1]', [c1] nvarchar(max) '$[2]') AS v

-- constants
SELECT v.[n], (SELECT t0.[id] AS [c0]
  FROM [dbo].[order] AS t0
  WHERE t0.[region] = CAST(@p2 AS varchar(max))
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM OPENJSON(@p1) WITH ([n] int '$[0]') AS v

-- list of a variable
SELECT v.[n], (SELECT t0.[id] AS [c0]
  FROM [dbo].[order] AS t0
  WHERE t0.[id] IN (SELECT CAST(j.[value] AS int)
  FROM OPENJSON(v.[c0]) AS j)
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM OPENJSON(@p1) WITH ([n] int '$[0]', [c0] nvarchar(max) '$[1]') AS v

-- limit of a variable
SELECT v.[n], (SELECT TOP (COALESCE(CAST(v.[c0] AS int), CAST(9223372036854775807 AS bigint))) t0.[id] AS [c0]
  FROM [dbo].[order] AS t0
  ORDER BY t0.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM OPENJSON(@p1) WITH ([n] int '$[0]', [c0] nvarchar(max) '$[1]') AS v

-- page of variables
SELECT v.[n], (SELECT t0.[id] AS [c0], t0.[price] AS [c1]
  FROM (SELECT t0.*, ROW_NUMBER() OVER (ORDER BY t0.[id]) AS [?rank]
  FROM [dbo].[order] AS t0) AS t0
  WHERE t0.[?rank] > COALESCE(CAST(v.[c1] AS int), 0) AND t0.[?rank] - COALESCE(CAST(v.[c1] AS int), 0) <= COALESCE(CAST(v.[c0] AS int), CAST(9223372036854775807 AS bigint))
  ORDER BY t0.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM OPENJSON(@p1) WITH ([n] int '$[0]', [c0] nvarchar(max) '$[1]', [c1] nvarchar(max) '$[2]') AS v

-- stream
SELECT v.[n], (SELECT TOP (10) WITH TIES t0.[price] AS [c0], t0.[id] AS [c1]
  FROM [dbo].[order] AS t0
  WHERE t0.[id] > CAST(v.[c0] AS int)
  ORDER BY t0.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM OPENJSON(@p1) WITH ([n] int '$[0]', [c0] nvarchar(max) '$[1]') AS v

-- stream along floats
SELECT v.[n], (SELECT TOP (10) WITH TIES t0.[id] AS [c0], CONVERT(nvarchar(40), t0.[weight], 3) AS [c1]
  FROM [dbo].[order] AS t0
  WHERE t0.[weight] > CAST(v.[c0] AS float)
  ORDER BY t0.[weight]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM OPENJSON(@p1) WITH ([n] int '$[0]', [c0] nvarchar(max) '$[1]') AS v

