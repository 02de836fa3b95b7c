-- update
SET NOCOUNT ON;
DECLARE @written int = 0;
SELECT g.*, CASE WHEN EXISTS (SELECT 1
  FROM [dbo].[order] AS t0 WITH (UPDLOCK, HOLDLOCK)
  WHERE t0.[region] = g.[region]) THEN 1 ELSE 0 END AS [?updated]
  INTO #given
  FROM (SELECT s.[n] AS [?n], CAST(s.[c0] AS varchar(max)) AS [region], s.[c1] AS [price], CAST(@p1 AS int) AS [customer_id]
  FROM OPENJSON(@p2) WITH ([n] int '$[0]', [c0] nvarchar(max) '$[1]', [c1] nvarchar(max) '$[2]') AS s) AS g;
INSERT INTO [dbo].[order] ([region], [price], [customer_id]) SELECT g.[region], g.[price], g.[customer_id]
  FROM #given AS g
  WHERE g.[?updated] = 0
  ORDER BY g.[?n];
SET @written = @written + @@ROWCOUNT;
UPDATE t0 SET [price] = g.[price]
  FROM [dbo].[order] AS t0 JOIN #given AS g ON t0.[region] = g.[region]
  WHERE g.[?updated] = 1;
SET @written = @written + @@ROWCOUNT;
SELECT @written AS [?read];

-- update given back
SET NOCOUNT ON;
SELECT 0 AS [?updated], 0 AS [?n], [id], [price]
  INTO #written
  FROM [dbo].[order]
  WHERE 1 = 0
  UNION ALL SELECT 0 AS [?updated], 0 AS [?n], [id], [price]
  FROM [dbo].[order]
  WHERE 1 = 0;
SELECT g.*, CASE WHEN EXISTS (SELECT 1
  FROM [dbo].[order] AS t0 WITH (UPDLOCK, HOLDLOCK)
  WHERE t0.[region] = g.[region]) THEN 1 ELSE 0 END AS [?updated]
  INTO #given
  FROM (SELECT s.[n] AS [?n], CAST(s.[c0] AS varchar(max)) AS [region], s.[c1] AS [price], CAST(@p1 AS int) AS [customer_id]
  FROM OPENJSON(@p2) WITH ([n] int '$[0]', [c0] nvarchar(max) '$[1]', [c1] nvarchar(max) '$[2]') AS s) AS g;
INSERT INTO [dbo].[order] ([region], [price], [customer_id])
  OUTPUT 0, 0, INSERTED.[id], INSERTED.[price]
  INTO #written ([?updated], [?n], [id], [price]) SELECT g.[region], g.[price], g.[customer_id]
  FROM #given AS g
  WHERE g.[?updated] = 0
  ORDER BY g.[?n];
UPDATE t0 SET [price] = g.[price]
  OUTPUT 1, g.[?n] + 0, INSERTED.[id], INSERTED.[price]
  INTO #written ([?updated], [?n], [id], [price])
  FROM [dbo].[order] AS t0 JOIN #given AS g ON t0.[region] = g.[region]
  WHERE g.[?updated] = 1;
SELECT t1.[id] AS [?read], t1.[price]
  FROM #written AS t1
  ORDER BY t1.[?updated], t1.[?n];
DROP TABLE #written;

-- no update
SET NOCOUNT ON;
SELECT 0 AS [?updated], 0 AS [?n], [id]
  INTO #written
  FROM [dbo].[order]
  WHERE 1 = 0
  UNION ALL SELECT 0 AS [?updated], 0 AS [?n], [id]
  FROM [dbo].[order]
  WHERE 1 = 0;
SELECT g.*, CASE WHEN EXISTS (SELECT 1
  FROM [dbo].[order] AS t0 WITH (UPDLOCK, HOLDLOCK)
  WHERE t0.[region] = g.[region]) THEN 1 ELSE 0 END AS [?updated]
  INTO #given
  FROM (SELECT s.[n] AS [?n], CAST(s.[c0] AS varchar(max)) AS [region], s.[c1] AS [price], CAST(@p1 AS int) AS [customer_id]
  FROM OPENJSON(@p2) WITH ([n] int '$[0]', [c0] nvarchar(max) '$[1]', [c1] nvarchar(max) '$[2]') AS s) AS g;
INSERT INTO [dbo].[order] ([region], [price], [customer_id])
  OUTPUT 0, 0, INSERTED.[id]
  INTO #written ([?updated], [?n], [id]) SELECT g.[region], g.[price], g.[customer_id]
  FROM #given AS g
  WHERE g.[?updated] = 0
  ORDER BY g.[?n];
SELECT t1.[id] AS [?read]
  FROM #written AS t1
  ORDER BY t1.[?updated], t1.[?n];
DROP TABLE #written;

-- no columns to match
SET NOCOUNT ON;
SELECT 0 AS [?updated], 0 AS [?n], [id]
  INTO #written
  FROM [dbo].[order]
  WHERE 1 = 0
  UNION ALL SELECT 0 AS [?updated], 0 AS [?n], [id]
  FROM [dbo].[order]
  WHERE 1 = 0;
SELECT g.*, 0 AS [?updated]
  INTO #given
  FROM (SELECT s.[n] AS [?n], s.[c0] AS [region], s.[c1] AS [price], CAST(@p1 AS int) AS [customer_id]
  FROM OPENJSON(@p2) WITH ([n] int '$[0]', [c0] nvarchar(max) '$[1]', [c1] nvarchar(max) '$[2]') AS s) AS g;
INSERT INTO [dbo].[order] ([region], [price], [customer_id])
  OUTPUT 0, 0, INSERTED.[id]
  INTO #written ([?updated], [?n], [id]) SELECT g.[region], g.[price], g.[customer_id]
  FROM #given AS g
  WHERE g.[?updated] = 0
  ORDER BY g.[?n];
SELECT t1.[id] AS [?read]
  FROM #written AS t1
  ORDER BY t1.[?updated], t1.[?n];
DROP TABLE #written;

-- two columns to match
SET NOCOUNT ON;
DECLARE @written int = 0;
SELECT g.*, CASE WHEN EXISTS (SELECT 1
  FROM [dbo].[order] AS t0 WITH (UPDLOCK, HOLDLOCK)
  WHERE t0.[region] = g.[region] AND t0.[customer_id] = g.[customer_id]) THEN 1 ELSE 0 END AS [?updated]
  INTO #given
  FROM (SELECT s.[n] AS [?n], CAST(s.[c0] AS varchar(max)) AS [region], s.[c1] AS [price], CAST(@p1 AS int) AS [customer_id]
  FROM OPENJSON(@p2) WITH ([n] int '$[0]', [c0] nvarchar(max) '$[1]', [c1] nvarchar(max) '$[2]') AS s) AS g;
INSERT INTO [dbo].[order] ([region], [price], [customer_id]) SELECT g.[region], g.[price], g.[customer_id]
  FROM #given AS g
  WHERE g.[?updated] = 0
  ORDER BY g.[?n];
SET @written = @written + @@ROWCOUNT;
UPDATE t0 SET [price] = g.[price]
  FROM [dbo].[order] AS t0 JOIN #given AS g ON t0.[region] = g.[region] AND t0.[customer_id] = g.[customer_id]
  WHERE g.[?updated] = 1;
SET @written = @written + @@ROWCOUNT;
SELECT @written AS [?read];

-- a column to match that isn't given
SET NOCOUNT ON;
DECLARE @written int = 0;
SELECT g.*, 0 AS [?updated]
  INTO #given
  FROM (SELECT s.[n] AS [?n], s.[c0] AS [region], s.[c1] AS [price], CAST(@p1 AS int) AS [customer_id]
  FROM OPENJSON(@p2) WITH ([n] int '$[0]', [c0] nvarchar(max) '$[1]', [c1] nvarchar(max) '$[2]') AS s) AS g;
INSERT INTO [dbo].[order] ([region], [price], [customer_id]) SELECT g.[region], g.[price], g.[customer_id]
  FROM #given AS g
  WHERE g.[?updated] = 0
  ORDER BY g.[?n];
SET @written = @written + @@ROWCOUNT;
SELECT @written AS [?read];

-- a text of another code page to match
SET NOCOUNT ON;
DECLARE @written int = 0;
SELECT g.*, CASE WHEN EXISTS (SELECT 1
  FROM [dbo].[order] AS t0 WITH (UPDLOCK, HOLDLOCK)
  WHERE t0.[code] = g.[code]) THEN 1 ELSE 0 END AS [?updated]
  INTO #given
  FROM (SELECT s.[n] AS [?n], CAST(s.[c0] COLLATE Cyrillic_General_CI_AS AS varchar(51)) AS [code], s.[c1] AS [price]
  FROM OPENJSON(@p1) WITH ([n] int '$[0]', [c0] nvarchar(max) '$[1]', [c1] nvarchar(max) '$[2]') AS s) AS g;
INSERT INTO [dbo].[order] ([code], [price]) SELECT g.[code], g.[price]
  FROM #given AS g
  WHERE g.[?updated] = 0
  ORDER BY g.[?n];
SET @written = @written + @@ROWCOUNT;
UPDATE t0 SET [price] = g.[price]
  FROM [dbo].[order] AS t0 JOIN #given AS g ON t0.[code] = g.[code]
  WHERE g.[?updated] = 1;
SET @written = @written + @@ROWCOUNT;
SELECT @written AS [?read];

-- columns of the old type and with our names
SET NOCOUNT ON;
SELECT 0 AS [?updated], 0 AS [?n], [n]
  INTO #written
  FROM [dbo].[order]
  WHERE 1 = 0
  UNION ALL SELECT 0 AS [?updated], 0 AS [?n], [n]
  FROM [dbo].[order]
  WHERE 1 = 0;
SELECT g.*, CASE WHEN EXISTS (SELECT 1
  FROM [dbo].[order] AS t0 WITH (UPDLOCK, HOLDLOCK)
  WHERE CAST(t0.[note] AS varchar(max)) = g.[note]) THEN 1 ELSE 0 END AS [?updated]
  INTO #given
  FROM (SELECT s.[n] AS [?n], CAST(s.[c0] AS varchar(max)) AS [note], CAST(s.[c1] AS int) AS [n]
  FROM OPENJSON(@p1) WITH ([n] int '$[0]', [c0] nvarchar(max) '$[1]', [c1] nvarchar(max) '$[2]') AS s) AS g;
INSERT INTO [dbo].[order] ([note], [n])
  OUTPUT 0, 0, INSERTED.[n]
  INTO #written ([?updated], [?n], [n]) SELECT g.[note], g.[n]
  FROM #given AS g
  WHERE g.[?updated] = 0
  ORDER BY g.[?n];
UPDATE t0 SET [n] = g.[n]
  OUTPUT 1, g.[?n] + 0, INSERTED.[n]
  INTO #written ([?updated], [?n], [n])
  FROM [dbo].[order] AS t0 JOIN #given AS g ON CAST(t0.[note] AS varchar(max)) = g.[note]
  WHERE g.[?updated] = 1;
SELECT t1.[n] AS [?read]
  FROM #written AS t1
  ORDER BY t1.[?updated], t1.[?n];
DROP TABLE #written;

-- condition and presets
SET NOCOUNT ON;
DECLARE @written int = 0;
SELECT g.*, CASE WHEN EXISTS (SELECT 1
  FROM [dbo].[order] AS t0 WITH (UPDLOCK, HOLDLOCK)
  WHERE t0.[region] = g.[region]) THEN 1 ELSE 0 END AS [?updated]
  INTO #given
  FROM (SELECT s.[n] AS [?n], CAST(s.[c0] AS varchar(max)) AS [region], s.[c1] AS [price], CAST(@p1 AS int) AS [customer_id]
  FROM OPENJSON(@p2) WITH ([n] int '$[0]', [c0] nvarchar(max) '$[1]', [c1] nvarchar(max) '$[2]') AS s) AS g;
INSERT INTO [dbo].[order] ([region], [price], [customer_id]) SELECT g.[region], g.[price], g.[customer_id]
  FROM #given AS g
  WHERE g.[?updated] = 0
  ORDER BY g.[?n];
SET @written = @written + @@ROWCOUNT;
UPDATE t0 SET [price] = g.[price], [customer_id] = CAST(@p1 AS int)
  FROM [dbo].[order] AS t0 JOIN #given AS g ON t0.[region] = g.[region]
  WHERE g.[?updated] = 1 AND t0.[price] < CAST(@p3 AS decimal(38, 18));
SET @written = @written + @@ROWCOUNT;
SELECT @written AS [?read];

-- checks
SET NOCOUNT ON;
SELECT 0 AS [?updated], 0 AS [?n], [customer_id], [id], [price]
  INTO #written
  FROM [dbo].[order]
  WHERE 1 = 0
  UNION ALL SELECT 0 AS [?updated], 0 AS [?n], [customer_id], [id], [price]
  FROM [dbo].[order]
  WHERE 1 = 0;
SELECT g.*, CASE WHEN EXISTS (SELECT 1
  FROM [dbo].[order] AS t0 WITH (UPDLOCK, HOLDLOCK)
  WHERE t0.[region] = g.[region]) THEN 1 ELSE 0 END AS [?updated]
  INTO #given
  FROM (SELECT s.[n] AS [?n], CAST(s.[c0] AS varchar(max)) AS [region], s.[c1] AS [price], CAST(@p3 AS int) AS [customer_id]
  FROM OPENJSON(@p4) WITH ([n] int '$[0]', [c0] nvarchar(max) '$[1]', [c1] nvarchar(max) '$[2]') AS s) AS g;
INSERT INTO [dbo].[order] ([region], [price], [customer_id])
  OUTPUT 0, 0, INSERTED.[customer_id], INSERTED.[id], INSERTED.[price]
  INTO #written ([?updated], [?n], [customer_id], [id], [price]) SELECT g.[region], g.[price], g.[customer_id]
  FROM #given AS g
  WHERE g.[?updated] = 0
  ORDER BY g.[?n];
UPDATE t0 SET [price] = g.[price]
  OUTPUT 1, g.[?n] + 0, INSERTED.[customer_id], INSERTED.[id], INSERTED.[price]
  INTO #written ([?updated], [?n], [customer_id], [id], [price])
  FROM [dbo].[order] AS t0 JOIN #given AS g ON t0.[region] = g.[region]
  WHERE g.[?updated] = 1;
SELECT t1.[id] AS [?read], CASE WHEN (t1.[?updated] = 0 AND t1.[price] > CAST(@p1 AS decimal(38, 18)) OR t1.[?updated] = 1 AND EXISTS (SELECT 1
  FROM [dbo].[customer] AS t2
  WHERE t2.[id] = t1.[customer_id] AND t2.[name] = @p2)) THEN 1 ELSE 0 END
  FROM #written AS t1
  ORDER BY t1.[?updated], t1.[?n];
DROP TABLE #written;

-- check of inserts
SET NOCOUNT ON;
SELECT 0 AS [?updated], 0 AS [?n], [price]
  INTO #written
  FROM [dbo].[order]
  WHERE 1 = 0
  UNION ALL SELECT 0 AS [?updated], 0 AS [?n], [price]
  FROM [dbo].[order]
  WHERE 1 = 0;
SELECT g.*, CASE WHEN EXISTS (SELECT 1
  FROM [dbo].[order] AS t0 WITH (UPDLOCK, HOLDLOCK)
  WHERE t0.[region] = g.[region]) THEN 1 ELSE 0 END AS [?updated]
  INTO #given
  FROM (SELECT s.[n] AS [?n], CAST(s.[c0] AS varchar(max)) AS [region], s.[c1] AS [price], CAST(@p2 AS int) AS [customer_id]
  FROM OPENJSON(@p3) WITH ([n] int '$[0]', [c0] nvarchar(max) '$[1]', [c1] nvarchar(max) '$[2]') AS s) AS g;
INSERT INTO [dbo].[order] ([region], [price], [customer_id])
  OUTPUT 0, 0, INSERTED.[price]
  INTO #written ([?updated], [?n], [price]) SELECT g.[region], g.[price], g.[customer_id]
  FROM #given AS g
  WHERE g.[?updated] = 0
  ORDER BY g.[?n];
SELECT CASE WHEN t1.[price] > CAST(@p1 AS decimal(38, 18)) THEN 1 ELSE 0 END AS [?read]
  FROM #written AS t1
  ORDER BY t1.[?updated], t1.[?n];
DROP TABLE #written;

-- an identity
SET NOCOUNT ON;
DECLARE @written int = 0;
SELECT g.*, CASE WHEN EXISTS (SELECT 1
  FROM [dbo].[order] AS t0 WITH (UPDLOCK, HOLDLOCK)
  WHERE t0.[id] = g.[id]) THEN 1 ELSE 0 END AS [?updated]
  INTO #given
  FROM (SELECT s.[n] AS [?n], CAST(@p1 AS int) AS [id], @p2 AS [price]
  FROM OPENJSON(@p3) WITH ([n] int '$[0]') AS s) AS g;
SET IDENTITY_INSERT [dbo].[order] ON;
INSERT INTO [dbo].[order] ([id], [price]) SELECT g.[id], g.[price]
  FROM #given AS g
  WHERE g.[?updated] = 0
  ORDER BY g.[?n];
SET @written = @written + @@ROWCOUNT;
UPDATE t0 SET [price] = g.[price]
  FROM [dbo].[order] AS t0 JOIN #given AS g ON t0.[id] = g.[id]
  WHERE g.[?updated] = 1;
SET @written = @written + @@ROWCOUNT;
SET IDENTITY_INSERT [dbo].[order] OFF;
SELECT @written AS [?read];

-- some defaults
SET NOCOUNT ON;
SELECT 0 AS [?updated], 0 AS [?n], [id]
  INTO #written
  FROM [dbo].[order]
  WHERE 1 = 0
  UNION ALL SELECT 0 AS [?updated], 0 AS [?n], [id]
  FROM [dbo].[order]
  WHERE 1 = 0;
SELECT g.*, CASE WHEN EXISTS (SELECT 1
  FROM [dbo].[order] AS t0 WITH (UPDLOCK, HOLDLOCK)
  WHERE t0.[region] = g.[region]) THEN 1 ELSE 0 END AS [?updated]
  INTO #given
  FROM (SELECT s.[n] AS [?n], CAST(@p1 AS varchar(max)) AS [region]
  FROM OPENJSON(@p2) WITH ([n] int '$[0]') AS s) AS g;
INSERT INTO [dbo].[order] ([region])
  OUTPUT 0, 0, INSERTED.[id]
  INTO #written ([?updated], [?n], [id]) SELECT g.[region]
  FROM #given AS g
  WHERE g.[?updated] = 0
  ORDER BY g.[?n];
SELECT g.*, 0 AS [?updated]
  INTO #given1
  FROM (SELECT s.[n] AS [?n], @p3 AS [price]
  FROM OPENJSON(@p4) WITH ([n] int '$[0]') AS s) AS g;
INSERT INTO [dbo].[order] ([price])
  OUTPUT 0, 0, INSERTED.[id]
  INTO #written ([?updated], [?n], [id]) SELECT g.[price]
  FROM #given1 AS g
  WHERE g.[?updated] = 0
  ORDER BY g.[?n];
SELECT t1.[id] AS [?read]
  FROM #written AS t1
  ORDER BY t1.[?updated], t1.[?n];
DROP TABLE #written;

