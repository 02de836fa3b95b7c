-- rows
SET NOCOUNT ON;
DECLARE @rows0_0 decimal(38, 18) = CAST(@p1 AS decimal(38, 18));
DECLARE @rows0_1 nvarchar(max) = @p2;
DECLARE @rows0 TABLE ([?n] int IDENTITY, [id] int NULL, [name] nvarchar(max) NULL, [notes] xml NULL);
INSERT INTO @rows0 ([id], [name], [notes]) EXEC [sales].[best]]customers] @least = @rows0_0, @like = @rows0_1;
SELECT t0.[id], t0.[name]
  FROM @rows0 AS t0
  ORDER BY t0.[?n]

-- filtered page
SET NOCOUNT ON;
DECLARE @rows0_0 decimal(38, 18) = CAST(@p1 AS decimal(38, 18));
DECLARE @rows0_1 nvarchar(max) = @p2;
DECLARE @rows0 TABLE ([?n] int IDENTITY, [id] int NULL, [name] nvarchar(max) NULL, [notes] xml NULL);
INSERT INTO @rows0 ([id], [name], [notes]) EXEC [sales].[best]]customers] @least = @rows0_0, @like = @rows0_1;
SELECT TOP (3) t0.[id], t0.[name]
  FROM @rows0 AS t0
  WHERE t0.[id] > CAST(@p3 AS int)
  ORDER BY t0.[name] DESC

-- without arguments
SET NOCOUNT ON;
DECLARE @rows0 TABLE ([?n] int IDENTITY, [id] int NULL);
INSERT INTO @rows0 ([id]) EXEC [dbo].[all];
SELECT t0.[id]
  FROM @rows0 AS t0
  ORDER BY t0.[?n] OFFSET 1 ROWS

