-- a row
SET NOCOUNT ON;
INSERT INTO [dbo].[order] ([price], [customer_id], [region])
  VALUES (@p1, CAST(@p2 AS int), @p3);
DECLARE @written int = @@ROWCOUNT;
SELECT @written AS [?read];

-- a row given back
SET NOCOUNT ON;
SELECT [id], [price]
  INTO #written
  FROM [dbo].[order]
  WHERE 1 = 0
  UNION ALL SELECT [id], [price]
  FROM [dbo].[order]
  WHERE 1 = 0;
INSERT INTO [dbo].[order] ([price], [customer_id], [region])
  OUTPUT INSERTED.[id], INSERTED.[price]
  INTO #written ([id], [price])
  VALUES (@p1, CAST(@p2 AS int), @p3);
SELECT t0.[id] AS [?read], t0.[price]
  FROM #written AS t0;
DROP TABLE #written;

-- one
SET NOCOUNT ON;
SELECT [id], [price]
  INTO #written
  FROM [dbo].[order]
  WHERE 1 = 0
  UNION ALL SELECT [id], [price]
  FROM [dbo].[order]
  WHERE 1 = 0;
INSERT INTO [dbo].[order] ([price], [customer_id], [region])
  OUTPUT INSERTED.[id], INSERTED.[price]
  INTO #written ([id], [price])
  VALUES (@p1, CAST(@p2 AS int), @p3);
SELECT t0.[id] AS [?read], t0.[price]
  FROM #written AS t0;
DROP TABLE #written;

-- two rows
SET NOCOUNT ON;
INSERT INTO [dbo].[order] ([price], [customer_id], [region])
  VALUES (@p1, CAST(@p2 AS int), @p3);
DECLARE @written int = @@ROWCOUNT;
INSERT INTO [dbo].[order] ([price], [customer_id], [region])
  VALUES (@p4, CAST(@p2 AS int), @p5);
SET @written = @written + @@ROWCOUNT;
SELECT @written AS [?read];

-- two rows given back
SET NOCOUNT ON;
SELECT 0 AS [?n], [id], CAST([version] AS binary(8)) AS [version]
  INTO #written
  FROM [dbo].[order]
  WHERE 1 = 0
  UNION ALL SELECT 0 AS [?n], [id], CAST([version] AS binary(8)) AS [version]
  FROM [dbo].[order]
  WHERE 1 = 0;
INSERT INTO [dbo].[order] ([price], [customer_id], [region])
  OUTPUT 0, INSERTED.[id], INSERTED.[version]
  INTO #written ([?n], [id], [version])
  VALUES (@p1, CAST(@p2 AS int), @p3);
INSERT INTO [dbo].[order] ([price], [customer_id], [region])
  OUTPUT 1, INSERTED.[id], INSERTED.[version]
  INTO #written ([?n], [id], [version])
  VALUES (@p4, CAST(@p2 AS int), @p5);
SELECT t0.[id] AS [?read], CAST(t0.[version] AS binary(8))
  FROM #written AS t0
  ORDER BY t0.[?n];
DROP TABLE #written;

-- many rows
SET NOCOUNT ON;
INSERT INTO [dbo].[order] ([price], [customer_id], [region]) SELECT s.[c0], CAST(@p1 AS int), s.[c1]
  FROM OPENJSON(@p2) WITH ([n] int '$[0]', [c0] nvarchar(max) '$[1]', [c1] nvarchar(max) '$[2]') AS s
  ORDER BY s.[n];
DECLARE @written int = @@ROWCOUNT;
SELECT @written AS [?read];

-- many rows given back
SET NOCOUNT ON;
SELECT 0 AS [?n], [id], [price]
  INTO #written
  FROM [dbo].[order]
  WHERE 1 = 0
  UNION ALL SELECT 0 AS [?n], [id], [price]
  FROM [dbo].[order]
  WHERE 1 = 0;
MERGE INTO [dbo].[order] AS t USING (SELECT s.*
  FROM OPENJSON(@p3) WITH ([n] int '$[0]', [c0] nvarchar(max) '$[1]', [c1] nvarchar(max) '$[2]') AS s) AS s ON 1 = 0 WHEN NOT MATCHED THEN INSERT ([price], [customer_id], [region])
  VALUES (s.[c0], CAST(@p2 AS int), s.[c1])
  OUTPUT s.[n] + 0, INSERTED.[id], INSERTED.[price]
  INTO #written ([?n], [id], [price]);
SELECT t0.[id] AS [?read], CASE WHEN t0.[price] > CAST(@p1 AS decimal(38, 18)) THEN 1 ELSE 0 END
  FROM #written AS t0
  ORDER BY t0.[?n];
DROP TABLE #written;

-- many rows with a check
SET NOCOUNT ON;
SELECT [price]
  INTO #written
  FROM [dbo].[order]
  WHERE 1 = 0
  UNION ALL SELECT [price]
  FROM [dbo].[order]
  WHERE 1 = 0;
INSERT INTO [dbo].[order] ([price], [customer_id], [region])
  OUTPUT INSERTED.[price]
  INTO #written ([price]) SELECT s.[c0], CAST(@p2 AS int), s.[c1]
  FROM OPENJSON(@p3) WITH ([n] int '$[0]', [c0] nvarchar(max) '$[1]', [c1] nvarchar(max) '$[2]') AS s
  ORDER BY s.[n];
SELECT CASE WHEN t0.[price] > CAST(@p1 AS decimal(38, 18)) THEN 1 ELSE 0 END AS [?read]
  FROM #written AS t0;
DROP TABLE #written;

-- a check
SET NOCOUNT ON;
SELECT [price]
  INTO #written
  FROM [dbo].[order]
  WHERE 1 = 0
  UNION ALL SELECT [price]
  FROM [dbo].[order]
  WHERE 1 = 0;
INSERT INTO [dbo].[order] ([price], [customer_id], [region])
  OUTPUT INSERTED.[price]
  INTO #written ([price])
  VALUES (@p2, CAST(@p3 AS int), @p4);
SELECT CASE WHEN t0.[price] > CAST(@p1 AS decimal(38, 18)) THEN 1 ELSE 0 END AS [?read]
  FROM #written AS t0;
DROP TABLE #written;

-- a check of other rows
SET NOCOUNT ON;
SELECT 0 AS [?n], [customer_id], [id]
  INTO #written
  FROM [dbo].[order]
  WHERE 1 = 0
  UNION ALL SELECT 0 AS [?n], [customer_id], [id]
  FROM [dbo].[order]
  WHERE 1 = 0;
INSERT INTO [dbo].[order] ([price], [customer_id], [region])
  OUTPUT 0, INSERTED.[customer_id], INSERTED.[id]
  INTO #written ([?n], [customer_id], [id])
  VALUES (@p2, CAST(@p3 AS int), @p4);
INSERT INTO [dbo].[order] ([price], [customer_id], [region])
  OUTPUT 1, INSERTED.[customer_id], INSERTED.[id]
  INTO #written ([?n], [customer_id], [id])
  VALUES (@p5, CAST(@p3 AS int), @p6);
SELECT t0.[id] AS [?read], CASE WHEN EXISTS (SELECT 1
  FROM [dbo].[customer] AS t1
  WHERE t1.[id] = t0.[customer_id] AND t1.[name] = @p1) THEN 1 ELSE 0 END
  FROM #written AS t0
  ORDER BY t0.[?n];
DROP TABLE #written;

-- an identity
SET NOCOUNT ON;
SET IDENTITY_INSERT [dbo].[order] ON;
INSERT INTO [dbo].[order] ([id], [price])
  VALUES (CAST(@p1 AS int), @p2);
DECLARE @written int = @@ROWCOUNT;
SET IDENTITY_INSERT [dbo].[order] OFF;
SELECT @written AS [?read];

-- an identity given back
SET NOCOUNT ON;
SELECT [id]
  INTO #written
  FROM [dbo].[order]
  WHERE 1 = 0
  UNION ALL SELECT [id]
  FROM [dbo].[order]
  WHERE 1 = 0;
SET IDENTITY_INSERT [dbo].[order] ON;
INSERT INTO [dbo].[order] ([id], [price])
  OUTPUT INSERTED.[id]
  INTO #written ([id])
  VALUES (CAST(@p1 AS int), @p2);
SET IDENTITY_INSERT [dbo].[order] OFF;
SELECT t0.[id] AS [?read]
  FROM #written AS t0;
DROP TABLE #written;

-- defaults
SET NOCOUNT ON;
SELECT [id]
  INTO #written
  FROM [dbo].[order]
  WHERE 1 = 0
  UNION ALL SELECT [id]
  FROM [dbo].[order]
  WHERE 1 = 0;
INSERT INTO [dbo].[order]
  OUTPUT INSERTED.[id]
  INTO #written ([id]) DEFAULT VALUES;
SELECT t0.[id] AS [?read]
  FROM #written AS t0;
DROP TABLE #written;

-- some defaults
SET NOCOUNT ON;
SELECT 0 AS [?n], [id]
  INTO #written
  FROM [dbo].[order]
  WHERE 1 = 0
  UNION ALL SELECT 0 AS [?n], [id]
  FROM [dbo].[order]
  WHERE 1 = 0;
INSERT INTO [dbo].[order] ([price])
  OUTPUT 0, INSERTED.[id]
  INTO #written ([?n], [id])
  VALUES (@p1);
INSERT INTO [dbo].[order] ([customer_id])
  OUTPUT 1, INSERTED.[id]
  INTO #written ([?n], [id])
  VALUES (CAST(@p2 AS int));
SELECT t0.[id] AS [?read]
  FROM #written AS t0
  ORDER BY t0.[?n];
DROP TABLE #written;

-- many rows, some defaults
SET NOCOUNT ON;
INSERT INTO [dbo].[order] ([price], [customer_id], [region]) SELECT s.[c0], CAST(@p1 AS int), s.[c1]
  FROM OPENJSON(@p2) WITH ([n] int '$[0]', [c0] nvarchar(max) '$[1]', [c1] nvarchar(max) '$[2]') AS s
  ORDER BY s.[n];
DECLARE @written int = @@ROWCOUNT;
INSERT INTO [dbo].[order] ([price], [customer_id]) SELECT s.[c0], CAST(@p1 AS int)
  FROM OPENJSON(@p3) WITH ([n] int '$[0]', [c0] nvarchar(max) '$[1]') AS s
  ORDER BY s.[n];
SET @written = @written + @@ROWCOUNT;
SELECT @written AS [?read];

-- many rows of defaults alone
SET NOCOUNT ON;
INSERT INTO [dbo].[order] DEFAULT VALUES;
DECLARE @written int = @@ROWCOUNT;
INSERT INTO [dbo].[order] DEFAULT VALUES;
SET @written = @written + @@ROWCOUNT;
INSERT INTO [dbo].[order] DEFAULT VALUES;
SET @written = @written + @@ROWCOUNT;
INSERT INTO [dbo].[order] DEFAULT VALUES;
SET @written = @written + @@ROWCOUNT;
INSERT INTO [dbo].[order] DEFAULT VALUES;
SET @written = @written + @@ROWCOUNT;
INSERT INTO [dbo].[order] DEFAULT VALUES;
SET @written = @written + @@ROWCOUNT;
INSERT INTO [dbo].[order] DEFAULT VALUES;
SET @written = @written + @@ROWCOUNT;
INSERT INTO [dbo].[order] DEFAULT VALUES;
SET @written = @written + @@ROWCOUNT;
INSERT INTO [dbo].[order] DEFAULT VALUES;
SET @written = @written + @@ROWCOUNT;
INSERT INTO [dbo].[order] DEFAULT VALUES;
SET @written = @written + @@ROWCOUNT;
INSERT INTO [dbo].[order] DEFAULT VALUES;
SET @written = @written + @@ROWCOUNT;
INSERT INTO [dbo].[order] DEFAULT VALUES;
SET @written = @written + @@ROWCOUNT;
INSERT INTO [dbo].[order] DEFAULT VALUES;
SET @written = @written + @@ROWCOUNT;
INSERT INTO [dbo].[order] DEFAULT VALUES;
SET @written = @written + @@ROWCOUNT;
INSERT INTO [dbo].[order] DEFAULT VALUES;
SET @written = @written + @@ROWCOUNT;
INSERT INTO [dbo].[order] DEFAULT VALUES;
SET @written = @written + @@ROWCOUNT;
INSERT INTO [dbo].[order] DEFAULT VALUES;
SET @written = @written + @@ROWCOUNT;
INSERT INTO [dbo].[order] DEFAULT VALUES;
SET @written = @written + @@ROWCOUNT;
INSERT INTO [dbo].[order] DEFAULT VALUES;
SET @written = @written + @@ROWCOUNT;
INSERT INTO [dbo].[order] DEFAULT VALUES;
SET @written = @written + @@ROWCOUNT;
INSERT INTO [dbo].[order] DEFAULT VALUES;
SET @written = @written + @@ROWCOUNT;
INSERT INTO [dbo].[order] DEFAULT VALUES;
SET @written = @written + @@ROWCOUNT;
SELECT @written AS [?read];

-- an identity of some rows
SET NOCOUNT ON;
INSERT INTO [dbo].[order] DEFAULT VALUES;
DECLARE @written int = @@ROWCOUNT;
SET IDENTITY_INSERT [dbo].[order] ON;
INSERT INTO [dbo].[order] ([id])
  VALUES (CAST(@p1 AS int));
SET @written = @written + @@ROWCOUNT;
SET IDENTITY_INSERT [dbo].[order] OFF;
INSERT INTO [dbo].[order] DEFAULT VALUES;
SET @written = @written + @@ROWCOUNT;
SELECT @written AS [?read];

-- null
SET NOCOUNT ON;
INSERT INTO [dbo].[order] ([price])
  VALUES (CAST(NULL AS decimal(38, 18)));
DECLARE @written int = @@ROWCOUNT;
SELECT @written AS [?read];

-- rows of lists
SET NOCOUNT ON;
INSERT INTO [dbo].[order] ([price], [customer_id], [region]) SELECT s.[c0], CAST(@p1 AS int), s.[c1]
  FROM OPENJSON(@p2) WITH ([n] int '$[0]', [c0] nvarchar(max) '$[1]', [c1] nvarchar(max) '$[2]') AS s
  ORDER BY s.[n];
DECLARE @written int = @@ROWCOUNT;
SELECT @written AS [?read];

-- rows of lists, handed out
SET NOCOUNT ON;
SELECT 0 AS [?n], [id], [price]
  INTO #written
  FROM [dbo].[order]
  WHERE 1 = 0
  UNION ALL SELECT 0 AS [?n], [id], [price]
  FROM [dbo].[order]
  WHERE 1 = 0;
MERGE INTO [dbo].[order] AS t USING (SELECT s.*
  FROM OPENJSON(@p2) WITH ([n] int '$[0]', [c0] nvarchar(max) '$[1]', [c1] nvarchar(max) '$[2]') AS s) AS s ON 1 = 0 WHEN NOT MATCHED THEN INSERT ([price], [customer_id], [region])
  VALUES (s.[c0], CAST(@p1 AS int), s.[c1])
  OUTPUT s.[n] + 0, INSERTED.[id], INSERTED.[price]
  INTO #written ([?n], [id], [price]);
SELECT t0.[id] AS [?read], t0.[price]
  FROM #written AS t0
  ORDER BY t0.[?n];
DROP TABLE #written;

-- a reference to the row
SET NOCOUNT ON;
SELECT [customer_id], [data], [id], [note], [path], [place], [price], CAST([version] AS binary(8)) AS [version]
  INTO #written
  FROM [dbo].[order]
  WHERE 1 = 0
  UNION ALL SELECT [customer_id], [data], [id], [note], [path], [place], [price], CAST([version] AS binary(8)) AS [version]
  FROM [dbo].[order]
  WHERE 1 = 0;
INSERT INTO [dbo].[order] ([price], [customer_id], [region])
  OUTPUT INSERTED.[customer_id], INSERTED.[data], INSERTED.[id], INSERTED.[note], INSERTED.[path], INSERTED.[place], INSERTED.[price], INSERTED.[version]
  INTO #written ([customer_id], [data], [id], [note], [path], [place], [price], [version])
  VALUES (@p1, CAST(@p2 AS int), @p3);
SELECT (SELECT t0.[id] AS [c0], t0.[customer_id] AS [c1], t0.[price] AS [c2], t0.[place].STAsText() AS [c3], t0.[path].ToString() AS [c4], t0.[data] AS [c5], CAST(t0.[note] AS varchar(max)) AS [c6], CAST(t0.[version] AS binary(8)) AS [c7]
  FOR JSON PATH, INCLUDE_NULL_VALUES) AS [?read]
  FROM #written AS t0;
DROP TABLE #written;

