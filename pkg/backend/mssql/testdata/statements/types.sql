-- read and nested binary
SELECT t0.[value], (SELECT t1.[value] AS [c0]
  FROM [dbo].[types] AS t1
  WHERE t1.[id] = t0.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[types] AS t0

-- written binary
SET NOCOUNT ON;
SELECT [value]
  INTO #written
  FROM [dbo].[types]
  WHERE 1 = 0
  UNION ALL SELECT [value]
  FROM [dbo].[types]
  WHERE 1 = 0;
UPDATE t0 SET [value] = CONVERT(varbinary(max), @p1, 1)
  OUTPUT INSERTED.[value]
  INTO #written ([value])
  FROM [dbo].[types] AS t0
  WHERE t0.[id] = CAST(@p2 AS int);
SELECT t1.[value] AS [?read]
  FROM #written AS t1;
DROP TABLE #written;

-- read and nested bool
SELECT t0.[value], (SELECT t1.[value] AS [c0]
  FROM [dbo].[types] AS t1
  WHERE t1.[id] = t0.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[types] AS t0

-- written bool
SET NOCOUNT ON;
SELECT [value]
  INTO #written
  FROM [dbo].[types]
  WHERE 1 = 0
  UNION ALL SELECT [value]
  FROM [dbo].[types]
  WHERE 1 = 0;
UPDATE t0 SET [value] = CAST(@p1 AS bit)
  OUTPUT INSERTED.[value]
  INTO #written ([value])
  FROM [dbo].[types] AS t0
  WHERE t0.[id] = CAST(@p2 AS int);
SELECT t1.[value] AS [?read]
  FROM #written AS t1;
DROP TABLE #written;

-- read and nested bpchar
SELECT t0.[value], (SELECT t1.[value] AS [c0]
  FROM [dbo].[types] AS t1
  WHERE t1.[id] = t0.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[types] AS t0

-- written bpchar
SET NOCOUNT ON;
SELECT [value]
  INTO #written
  FROM [dbo].[types]
  WHERE 1 = 0
  UNION ALL SELECT [value]
  FROM [dbo].[types]
  WHERE 1 = 0;
UPDATE t0 SET [value] = @p1
  OUTPUT INSERTED.[value]
  INTO #written ([value])
  FROM [dbo].[types] AS t0
  WHERE t0.[id] = CAST(@p2 AS int);
SELECT t1.[value] AS [?read]
  FROM #written AS t1;
DROP TABLE #written;

-- read and nested bytea
SELECT t0.[value], (SELECT t1.[value] AS [c0]
  FROM [dbo].[types] AS t1
  WHERE t1.[id] = t0.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[types] AS t0

-- written bytea
SET NOCOUNT ON;
SELECT [value]
  INTO #written
  FROM [dbo].[types]
  WHERE 1 = 0
  UNION ALL SELECT [value]
  FROM [dbo].[types]
  WHERE 1 = 0;
UPDATE t0 SET [value] = CONVERT(varbinary(max), @p1, 1)
  OUTPUT INSERTED.[value]
  INTO #written ([value])
  FROM [dbo].[types] AS t0
  WHERE t0.[id] = CAST(@p2 AS int);
SELECT t1.[value] AS [?read]
  FROM #written AS t1;
DROP TABLE #written;

-- read and nested date
SELECT t0.[value], (SELECT t1.[value] AS [c0]
  FROM [dbo].[types] AS t1
  WHERE t1.[id] = t0.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[types] AS t0

-- written date
SET NOCOUNT ON;
SELECT [value]
  INTO #written
  FROM [dbo].[types]
  WHERE 1 = 0
  UNION ALL SELECT [value]
  FROM [dbo].[types]
  WHERE 1 = 0;
UPDATE t0 SET [value] = CAST(@p1 AS date)
  OUTPUT INSERTED.[value]
  INTO #written ([value])
  FROM [dbo].[types] AS t0
  WHERE t0.[id] = CAST(@p2 AS int);
SELECT t1.[value] AS [?read]
  FROM #written AS t1;
DROP TABLE #written;

-- read and nested datetime
SELECT t0.[value], (SELECT t1.[value] AS [c0]
  FROM [dbo].[types] AS t1
  WHERE t1.[id] = t0.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[types] AS t0

-- written datetime
SET NOCOUNT ON;
SELECT [value]
  INTO #written
  FROM [dbo].[types]
  WHERE 1 = 0
  UNION ALL SELECT [value]
  FROM [dbo].[types]
  WHERE 1 = 0;
UPDATE t0 SET [value] = CAST(CAST(@p1 AS datetime2) AS datetime)
  OUTPUT INSERTED.[value]
  INTO #written ([value])
  FROM [dbo].[types] AS t0
  WHERE t0.[id] = CAST(@p2 AS int);
SELECT t1.[value] AS [?read]
  FROM #written AS t1;
DROP TABLE #written;

-- read and nested decimal
SELECT t0.[value], (SELECT t1.[value] AS [c0]
  FROM [dbo].[types] AS t1
  WHERE t1.[id] = t0.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[types] AS t0

-- written decimal
SET NOCOUNT ON;
SELECT [value]
  INTO #written
  FROM [dbo].[types]
  WHERE 1 = 0
  UNION ALL SELECT [value]
  FROM [dbo].[types]
  WHERE 1 = 0;
UPDATE t0 SET [value] = @p1
  OUTPUT INSERTED.[value]
  INTO #written ([value])
  FROM [dbo].[types] AS t0
  WHERE t0.[id] = CAST(@p2 AS int);
SELECT t1.[value] AS [?read]
  FROM #written AS t1;
DROP TABLE #written;

-- read and nested float4
SELECT t0.[value], (SELECT t1.[value] AS [c0]
  FROM [dbo].[types] AS t1
  WHERE t1.[id] = t0.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[types] AS t0

-- written float4
SET NOCOUNT ON;
SELECT [value]
  INTO #written
  FROM [dbo].[types]
  WHERE 1 = 0
  UNION ALL SELECT [value]
  FROM [dbo].[types]
  WHERE 1 = 0;
UPDATE t0 SET [value] = CAST(@p1 AS real)
  OUTPUT INSERTED.[value]
  INTO #written ([value])
  FROM [dbo].[types] AS t0
  WHERE t0.[id] = CAST(@p2 AS int);
SELECT t1.[value] AS [?read]
  FROM #written AS t1;
DROP TABLE #written;

-- read and nested float8
SELECT t0.[value], (SELECT t1.[value] AS [c0]
  FROM [dbo].[types] AS t1
  WHERE t1.[id] = t0.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[types] AS t0

-- written float8
SET NOCOUNT ON;
SELECT [value]
  INTO #written
  FROM [dbo].[types]
  WHERE 1 = 0
  UNION ALL SELECT [value]
  FROM [dbo].[types]
  WHERE 1 = 0;
UPDATE t0 SET [value] = CAST(@p1 AS float)
  OUTPUT INSERTED.[value]
  INTO #written ([value])
  FROM [dbo].[types] AS t0
  WHERE t0.[id] = CAST(@p2 AS int);
SELECT t1.[value] AS [?read]
  FROM #written AS t1;
DROP TABLE #written;

-- read and nested geography
SELECT t0.[value].STAsText(), (SELECT t1.[value].STAsText() AS [c0]
  FROM [dbo].[types] AS t1
  WHERE t1.[id] = t0.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[types] AS t0

-- written geography
SET NOCOUNT ON;
SELECT [value]
  INTO #written
  FROM [dbo].[types]
  WHERE 1 = 0
  UNION ALL SELECT [value]
  FROM [dbo].[types]
  WHERE 1 = 0;
UPDATE t0 SET [value] = geography::STGeomFromText(@p1, 4326)
  OUTPUT INSERTED.[value]
  INTO #written ([value])
  FROM [dbo].[types] AS t0
  WHERE t0.[id] = CAST(@p2 AS int);
SELECT t1.[value] AS [?read], t1.[value].STAsText()
  FROM #written AS t1;
DROP TABLE #written;

-- read and nested geometry
SELECT t0.[value].STAsText(), (SELECT t1.[value].STAsText() AS [c0]
  FROM [dbo].[types] AS t1
  WHERE t1.[id] = t0.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[types] AS t0

-- written geometry
SET NOCOUNT ON;
SELECT [value]
  INTO #written
  FROM [dbo].[types]
  WHERE 1 = 0
  UNION ALL SELECT [value]
  FROM [dbo].[types]
  WHERE 1 = 0;
UPDATE t0 SET [value] = geometry::STGeomFromText(@p1, 0)
  OUTPUT INSERTED.[value]
  INTO #written ([value])
  FROM [dbo].[types] AS t0
  WHERE t0.[id] = CAST(@p2 AS int);
SELECT t1.[value] AS [?read], t1.[value].STAsText()
  FROM #written AS t1;
DROP TABLE #written;

-- read and nested hierarchyid
SELECT t0.[value].ToString(), (SELECT t1.[value].ToString() AS [c0]
  FROM [dbo].[types] AS t1
  WHERE t1.[id] = t0.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[types] AS t0

-- written hierarchyid
SET NOCOUNT ON;
SELECT [value]
  INTO #written
  FROM [dbo].[types]
  WHERE 1 = 0
  UNION ALL SELECT [value]
  FROM [dbo].[types]
  WHERE 1 = 0;
UPDATE t0 SET [value] = CAST(CAST(@p1 AS nvarchar(4000)) AS hierarchyid)
  OUTPUT INSERTED.[value]
  INTO #written ([value])
  FROM [dbo].[types] AS t0
  WHERE t0.[id] = CAST(@p2 AS int);
SELECT t1.[value] AS [?read], t1.[value].ToString()
  FROM #written AS t1;
DROP TABLE #written;

-- read and nested image
SELECT CAST(t0.[value] AS varbinary(max)), (SELECT CAST(t1.[value] AS varbinary(max)) AS [c0]
  FROM [dbo].[types] AS t1
  WHERE t1.[id] = t0.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[types] AS t0

-- written image
SET NOCOUNT ON;
SELECT [value]
  INTO #written
  FROM [dbo].[types]
  WHERE 1 = 0
  UNION ALL SELECT [value]
  FROM [dbo].[types]
  WHERE 1 = 0;
UPDATE t0 SET [value] = CONVERT(varbinary(max), @p1, 1)
  OUTPUT INSERTED.[value]
  INTO #written ([value])
  FROM [dbo].[types] AS t0
  WHERE t0.[id] = CAST(@p2 AS int);
SELECT CAST(t1.[value] AS varbinary(max)) AS [?read]
  FROM #written AS t1;
DROP TABLE #written;

-- read and nested int2
SELECT t0.[value], (SELECT t1.[value] AS [c0]
  FROM [dbo].[types] AS t1
  WHERE t1.[id] = t0.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[types] AS t0

-- written int2
SET NOCOUNT ON;
SELECT [value]
  INTO #written
  FROM [dbo].[types]
  WHERE 1 = 0
  UNION ALL SELECT [value]
  FROM [dbo].[types]
  WHERE 1 = 0;
UPDATE t0 SET [value] = CAST(@p1 AS smallint)
  OUTPUT INSERTED.[value]
  INTO #written ([value])
  FROM [dbo].[types] AS t0
  WHERE t0.[id] = CAST(@p2 AS int);
SELECT t1.[value] AS [?read]
  FROM #written AS t1;
DROP TABLE #written;

-- read and nested int4
SELECT t0.[value], (SELECT t1.[value] AS [c0]
  FROM [dbo].[types] AS t1
  WHERE t1.[id] = t0.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[types] AS t0

-- written int4
SET NOCOUNT ON;
SELECT [value]
  INTO #written
  FROM [dbo].[types]
  WHERE 1 = 0
  UNION ALL SELECT [value]
  FROM [dbo].[types]
  WHERE 1 = 0;
UPDATE t0 SET [value] = CAST(@p1 AS int)
  OUTPUT INSERTED.[value]
  INTO #written ([value])
  FROM [dbo].[types] AS t0
  WHERE t0.[id] = CAST(@p2 AS int);
SELECT t1.[value] AS [?read]
  FROM #written AS t1;
DROP TABLE #written;

-- read and nested int8
SELECT t0.[value], (SELECT t1.[value] AS [c0]
  FROM [dbo].[types] AS t1
  WHERE t1.[id] = t0.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[types] AS t0

-- written int8
SET NOCOUNT ON;
SELECT [value]
  INTO #written
  FROM [dbo].[types]
  WHERE 1 = 0
  UNION ALL SELECT [value]
  FROM [dbo].[types]
  WHERE 1 = 0;
UPDATE t0 SET [value] = CAST(@p1 AS bigint)
  OUTPUT INSERTED.[value]
  INTO #written ([value])
  FROM [dbo].[types] AS t0
  WHERE t0.[id] = CAST(@p2 AS int);
SELECT t1.[value] AS [?read]
  FROM #written AS t1;
DROP TABLE #written;

-- read and nested jsonb
SELECT t0.[value], (SELECT t1.[value] AS [c0]
  FROM [dbo].[types] AS t1
  WHERE t1.[id] = t0.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[types] AS t0

-- written jsonb
SET NOCOUNT ON;
SELECT [value]
  INTO #written
  FROM [dbo].[types]
  WHERE 1 = 0
  UNION ALL SELECT [value]
  FROM [dbo].[types]
  WHERE 1 = 0;
UPDATE t0 SET [value] = @p1
  OUTPUT INSERTED.[value]
  INTO #written ([value])
  FROM [dbo].[types] AS t0
  WHERE t0.[id] = CAST(@p2 AS int);
SELECT t1.[value] AS [?read]
  FROM #written AS t1;
DROP TABLE #written;

-- read and nested money
SELECT t0.[value], (SELECT t1.[value] AS [c0]
  FROM [dbo].[types] AS t1
  WHERE t1.[id] = t0.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[types] AS t0

-- written money
SET NOCOUNT ON;
SELECT [value]
  INTO #written
  FROM [dbo].[types]
  WHERE 1 = 0
  UNION ALL SELECT [value]
  FROM [dbo].[types]
  WHERE 1 = 0;
UPDATE t0 SET [value] = CAST(@p1 AS money)
  OUTPUT INSERTED.[value]
  INTO #written ([value])
  FROM [dbo].[types] AS t0
  WHERE t0.[id] = CAST(@p2 AS int);
SELECT t1.[value] AS [?read]
  FROM #written AS t1;
DROP TABLE #written;

-- read and nested nchar
SELECT t0.[value], (SELECT t1.[value] AS [c0]
  FROM [dbo].[types] AS t1
  WHERE t1.[id] = t0.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[types] AS t0

-- written nchar
SET NOCOUNT ON;
SELECT [value]
  INTO #written
  FROM [dbo].[types]
  WHERE 1 = 0
  UNION ALL SELECT [value]
  FROM [dbo].[types]
  WHERE 1 = 0;
UPDATE t0 SET [value] = @p1
  OUTPUT INSERTED.[value]
  INTO #written ([value])
  FROM [dbo].[types] AS t0
  WHERE t0.[id] = CAST(@p2 AS int);
SELECT t1.[value] AS [?read]
  FROM #written AS t1;
DROP TABLE #written;

-- read and nested ntext_old
SELECT CAST(t0.[value] AS nvarchar(max)), (SELECT CAST(t1.[value] AS nvarchar(max)) AS [c0]
  FROM [dbo].[types] AS t1
  WHERE t1.[id] = t0.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[types] AS t0

-- written ntext_old
SET NOCOUNT ON;
SELECT [value]
  INTO #written
  FROM [dbo].[types]
  WHERE 1 = 0
  UNION ALL SELECT [value]
  FROM [dbo].[types]
  WHERE 1 = 0;
UPDATE t0 SET [value] = @p1
  OUTPUT INSERTED.[value]
  INTO #written ([value])
  FROM [dbo].[types] AS t0
  WHERE t0.[id] = CAST(@p2 AS int);
SELECT CAST(t1.[value] AS nvarchar(max)) AS [?read]
  FROM #written AS t1;
DROP TABLE #written;

-- read and nested numeric
SELECT t0.[value], (SELECT t1.[value] AS [c0]
  FROM [dbo].[types] AS t1
  WHERE t1.[id] = t0.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[types] AS t0

-- written numeric
SET NOCOUNT ON;
SELECT [value]
  INTO #written
  FROM [dbo].[types]
  WHERE 1 = 0
  UNION ALL SELECT [value]
  FROM [dbo].[types]
  WHERE 1 = 0;
UPDATE t0 SET [value] = @p1
  OUTPUT INSERTED.[value]
  INTO #written ([value])
  FROM [dbo].[types] AS t0
  WHERE t0.[id] = CAST(@p2 AS int);
SELECT t1.[value] AS [?read]
  FROM #written AS t1;
DROP TABLE #written;

-- read and nested rowversion
SELECT CAST(t0.[value] AS binary(8)), (SELECT CAST(t1.[value] AS binary(8)) AS [c0]
  FROM [dbo].[types] AS t1
  WHERE t1.[id] = t0.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[types] AS t0

-- written rowversion
SET NOCOUNT ON;
SELECT CAST([value] AS binary(8)) AS [value]
  INTO #written
  FROM [dbo].[types]
  WHERE 1 = 0
  UNION ALL SELECT CAST([value] AS binary(8)) AS [value]
  FROM [dbo].[types]
  WHERE 1 = 0;
UPDATE t0 SET [value] = CONVERT(binary(8), @p1, 1)
  OUTPUT INSERTED.[value]
  INTO #written ([value])
  FROM [dbo].[types] AS t0
  WHERE t0.[id] = CAST(@p2 AS int);
SELECT t1.[value] AS [?read], CAST(t1.[value] AS binary(8))
  FROM #written AS t1;
DROP TABLE #written;

-- read and nested smalldatetime
SELECT t0.[value], (SELECT t1.[value] AS [c0]
  FROM [dbo].[types] AS t1
  WHERE t1.[id] = t0.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[types] AS t0

-- written smalldatetime
SET NOCOUNT ON;
SELECT [value]
  INTO #written
  FROM [dbo].[types]
  WHERE 1 = 0
  UNION ALL SELECT [value]
  FROM [dbo].[types]
  WHERE 1 = 0;
UPDATE t0 SET [value] = CAST(CAST(@p1 AS datetime2) AS smalldatetime)
  OUTPUT INSERTED.[value]
  INTO #written ([value])
  FROM [dbo].[types] AS t0
  WHERE t0.[id] = CAST(@p2 AS int);
SELECT t1.[value] AS [?read]
  FROM #written AS t1;
DROP TABLE #written;

-- read and nested smallmoney
SELECT t0.[value], (SELECT t1.[value] AS [c0]
  FROM [dbo].[types] AS t1
  WHERE t1.[id] = t0.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[types] AS t0

-- written smallmoney
SET NOCOUNT ON;
SELECT [value]
  INTO #written
  FROM [dbo].[types]
  WHERE 1 = 0
  UNION ALL SELECT [value]
  FROM [dbo].[types]
  WHERE 1 = 0;
UPDATE t0 SET [value] = CAST(@p1 AS smallmoney)
  OUTPUT INSERTED.[value]
  INTO #written ([value])
  FROM [dbo].[types] AS t0
  WHERE t0.[id] = CAST(@p2 AS int);
SELECT t1.[value] AS [?read]
  FROM #written AS t1;
DROP TABLE #written;

-- read and nested sql_variant
SELECT CAST(t0.[value] AS nvarchar(4000)), (SELECT CAST(t1.[value] AS nvarchar(4000)) AS [c0]
  FROM [dbo].[types] AS t1
  WHERE t1.[id] = t0.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[types] AS t0

-- written sql_variant
SET NOCOUNT ON;
SELECT [value]
  INTO #written
  FROM [dbo].[types]
  WHERE 1 = 0
  UNION ALL SELECT [value]
  FROM [dbo].[types]
  WHERE 1 = 0;
UPDATE t0 SET [value] = CAST(@p1 AS nvarchar(4000))
  OUTPUT INSERTED.[value]
  INTO #written ([value])
  FROM [dbo].[types] AS t0
  WHERE t0.[id] = CAST(@p2 AS int);
SELECT t1.[value] AS [?read], CAST(t1.[value] AS nvarchar(4000))
  FROM #written AS t1;
DROP TABLE #written;

-- read and nested text
SELECT t0.[value], (SELECT t1.[value] AS [c0]
  FROM [dbo].[types] AS t1
  WHERE t1.[id] = t0.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[types] AS t0

-- written text
SET NOCOUNT ON;
SELECT [value]
  INTO #written
  FROM [dbo].[types]
  WHERE 1 = 0
  UNION ALL SELECT [value]
  FROM [dbo].[types]
  WHERE 1 = 0;
UPDATE t0 SET [value] = @p1
  OUTPUT INSERTED.[value]
  INTO #written ([value])
  FROM [dbo].[types] AS t0
  WHERE t0.[id] = CAST(@p2 AS int);
SELECT t1.[value] AS [?read]
  FROM #written AS t1;
DROP TABLE #written;

-- read and nested text_old
SELECT CAST(t0.[value] AS varchar(max)), (SELECT CAST(t1.[value] AS varchar(max)) AS [c0]
  FROM [dbo].[types] AS t1
  WHERE t1.[id] = t0.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[types] AS t0

-- written text_old
SET NOCOUNT ON;
SELECT [value]
  INTO #written
  FROM [dbo].[types]
  WHERE 1 = 0
  UNION ALL SELECT [value]
  FROM [dbo].[types]
  WHERE 1 = 0;
UPDATE t0 SET [value] = @p1
  OUTPUT INSERTED.[value]
  INTO #written ([value])
  FROM [dbo].[types] AS t0
  WHERE t0.[id] = CAST(@p2 AS int);
SELECT CAST(t1.[value] AS varchar(max)) AS [?read]
  FROM #written AS t1;
DROP TABLE #written;

-- read and nested time
SELECT t0.[value], (SELECT t1.[value] AS [c0]
  FROM [dbo].[types] AS t1
  WHERE t1.[id] = t0.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[types] AS t0

-- written time
SET NOCOUNT ON;
SELECT [value]
  INTO #written
  FROM [dbo].[types]
  WHERE 1 = 0
  UNION ALL SELECT [value]
  FROM [dbo].[types]
  WHERE 1 = 0;
UPDATE t0 SET [value] = CAST(@p1 AS time)
  OUTPUT INSERTED.[value]
  INTO #written ([value])
  FROM [dbo].[types] AS t0
  WHERE t0.[id] = CAST(@p2 AS int);
SELECT t1.[value] AS [?read]
  FROM #written AS t1;
DROP TABLE #written;

-- read and nested timestamp
SELECT t0.[value], (SELECT t1.[value] AS [c0]
  FROM [dbo].[types] AS t1
  WHERE t1.[id] = t0.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[types] AS t0

-- written timestamp
SET NOCOUNT ON;
SELECT [value]
  INTO #written
  FROM [dbo].[types]
  WHERE 1 = 0
  UNION ALL SELECT [value]
  FROM [dbo].[types]
  WHERE 1 = 0;
UPDATE t0 SET [value] = CAST(@p1 AS datetime2)
  OUTPUT INSERTED.[value]
  INTO #written ([value])
  FROM [dbo].[types] AS t0
  WHERE t0.[id] = CAST(@p2 AS int);
SELECT t1.[value] AS [?read]
  FROM #written AS t1;
DROP TABLE #written;

-- read and nested timestamptz
SELECT t0.[value], (SELECT t1.[value] AS [c0]
  FROM [dbo].[types] AS t1
  WHERE t1.[id] = t0.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[types] AS t0

-- written timestamptz
SET NOCOUNT ON;
SELECT [value]
  INTO #written
  FROM [dbo].[types]
  WHERE 1 = 0
  UNION ALL SELECT [value]
  FROM [dbo].[types]
  WHERE 1 = 0;
UPDATE t0 SET [value] = CAST(@p1 AS datetimeoffset)
  OUTPUT INSERTED.[value]
  INTO #written ([value])
  FROM [dbo].[types] AS t0
  WHERE t0.[id] = CAST(@p2 AS int);
SELECT t1.[value] AS [?read]
  FROM #written AS t1;
DROP TABLE #written;

-- read and nested tinyint
SELECT t0.[value], (SELECT t1.[value] AS [c0]
  FROM [dbo].[types] AS t1
  WHERE t1.[id] = t0.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[types] AS t0

-- written tinyint
SET NOCOUNT ON;
SELECT [value]
  INTO #written
  FROM [dbo].[types]
  WHERE 1 = 0
  UNION ALL SELECT [value]
  FROM [dbo].[types]
  WHERE 1 = 0;
UPDATE t0 SET [value] = CAST(@p1 AS tinyint)
  OUTPUT INSERTED.[value]
  INTO #written ([value])
  FROM [dbo].[types] AS t0
  WHERE t0.[id] = CAST(@p2 AS int);
SELECT t1.[value] AS [?read]
  FROM #written AS t1;
DROP TABLE #written;

-- read and nested uuid
SELECT t0.[value], (SELECT t1.[value] AS [c0]
  FROM [dbo].[types] AS t1
  WHERE t1.[id] = t0.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[types] AS t0

-- written uuid
SET NOCOUNT ON;
SELECT [value]
  INTO #written
  FROM [dbo].[types]
  WHERE 1 = 0
  UNION ALL SELECT [value]
  FROM [dbo].[types]
  WHERE 1 = 0;
UPDATE t0 SET [value] = CAST(@p1 AS uniqueidentifier)
  OUTPUT INSERTED.[value]
  INTO #written ([value])
  FROM [dbo].[types] AS t0
  WHERE t0.[id] = CAST(@p2 AS int);
SELECT t1.[value] AS [?read]
  FROM #written AS t1;
DROP TABLE #written;

-- read and nested varchar
SELECT t0.[value], (SELECT t1.[value] AS [c0]
  FROM [dbo].[types] AS t1
  WHERE t1.[id] = t0.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[types] AS t0

-- written varchar
SET NOCOUNT ON;
SELECT [value]
  INTO #written
  FROM [dbo].[types]
  WHERE 1 = 0
  UNION ALL SELECT [value]
  FROM [dbo].[types]
  WHERE 1 = 0;
UPDATE t0 SET [value] = @p1
  OUTPUT INSERTED.[value]
  INTO #written ([value])
  FROM [dbo].[types] AS t0
  WHERE t0.[id] = CAST(@p2 AS int);
SELECT t1.[value] AS [?read]
  FROM #written AS t1;
DROP TABLE #written;

-- read and nested xml
SELECT CAST(t0.[value] AS nvarchar(max)), (SELECT CAST(t1.[value] AS nvarchar(max)) AS [c0]
  FROM [dbo].[types] AS t1
  WHERE t1.[id] = t0.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[types] AS t0

-- written xml
SET NOCOUNT ON;
SELECT [value]
  INTO #written
  FROM [dbo].[types]
  WHERE 1 = 0
  UNION ALL SELECT [value]
  FROM [dbo].[types]
  WHERE 1 = 0;
UPDATE t0 SET [value] = @p1
  OUTPUT INSERTED.[value]
  INTO #written ([value])
  FROM [dbo].[types] AS t0
  WHERE t0.[id] = CAST(@p2 AS int);
SELECT CAST(t1.[value] AS nvarchar(max)) AS [?read]
  FROM #written AS t1;
DROP TABLE #written;

-- read and nested some_alias
SELECT CAST(t0.[value] AS nvarchar(max)), (SELECT CAST(t1.[value] AS nvarchar(max)) AS [c0]
  FROM [dbo].[types] AS t1
  WHERE t1.[id] = t0.[id]
  FOR JSON PATH, INCLUDE_NULL_VALUES)
  FROM [dbo].[types] AS t0

-- written some_alias
SET NOCOUNT ON;
SELECT [value]
  INTO #written
  FROM [dbo].[types]
  WHERE 1 = 0
  UNION ALL SELECT [value]
  FROM [dbo].[types]
  WHERE 1 = 0;
UPDATE t0 SET [value] = @p1
  OUTPUT INSERTED.[value]
  INTO #written ([value])
  FROM [dbo].[types] AS t0
  WHERE t0.[id] = CAST(@p2 AS int);
SELECT t1.[value] AS [?read], CAST(t1.[value] AS nvarchar(max))
  FROM #written AS t1;
DROP TABLE #written;

