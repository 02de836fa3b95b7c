-- int4 _eq
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] = CAST(@p1 AS int)

-- int4 _neq
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] <> CAST(@p1 AS int)

-- int4 _gt
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] > CAST(@p1 AS int)

-- int4 _lt
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] < CAST(@p1 AS int)

-- int4 _gte
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] >= CAST(@p1 AS int)

-- int4 _lte
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] <= CAST(@p1 AS int)

-- int4 _in
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] IN (SELECT CAST(j.[value] AS int)
  FROM OPENJSON(@p1) AS j)

-- int4 _nin
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] NOT IN (SELECT CAST(j.[value] AS int)
  FROM OPENJSON(@p1) AS j)

-- text _eq
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] = @p1

-- text _neq
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] <> @p1

-- text _gt
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] > @p1

-- text _lt
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] < @p1

-- text _gte
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] >= @p1

-- text _lte
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] <= @p1

-- text _in
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] IN (SELECT j.[value]
  FROM OPENJSON(@p1) AS j)

-- text _nin
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] NOT IN (SELECT j.[value]
  FROM OPENJSON(@p1) AS j)

-- text _like
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] LIKE @p1

-- text _nlike
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] NOT LIKE @p1

-- varchar _eq
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] = CAST(@p1 AS varchar(max))

-- varchar _neq
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] <> CAST(@p1 AS varchar(max))

-- varchar _gt
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] > CAST(@p1 AS varchar(max))

-- varchar _lt
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] < CAST(@p1 AS varchar(max))

-- varchar _gte
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] >= CAST(@p1 AS varchar(max))

-- varchar _lte
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] <= CAST(@p1 AS varchar(max))

-- varchar _in
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] IN (SELECT CAST(j.[value] AS varchar(max))
  FROM OPENJSON(@p1) AS j)

-- varchar _nin
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] NOT IN (SELECT CAST(j.[value] AS varchar(max))
  FROM OPENJSON(@p1) AS j)

-- varchar _like
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] LIKE CAST(@p1 AS varchar(max))

-- varchar _nlike
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] NOT LIKE CAST(@p1 AS varchar(max))

-- text_old _eq
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE CAST(t0.[value] AS varchar(max)) = CAST(@p1 AS varchar(max))

-- text_old _neq
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE CAST(t0.[value] AS varchar(max)) <> CAST(@p1 AS varchar(max))

-- text_old _gt
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE CAST(t0.[value] AS varchar(max)) > CAST(@p1 AS varchar(max))

-- text_old _lt
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE CAST(t0.[value] AS varchar(max)) < CAST(@p1 AS varchar(max))

-- text_old _gte
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE CAST(t0.[value] AS varchar(max)) >= CAST(@p1 AS varchar(max))

-- text_old _lte
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE CAST(t0.[value] AS varchar(max)) <= CAST(@p1 AS varchar(max))

-- text_old _in
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE CAST(t0.[value] AS varchar(max)) IN (SELECT CAST(j.[value] AS varchar(max))
  FROM OPENJSON(@p1) AS j)

-- text_old _nin
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE CAST(t0.[value] AS varchar(max)) NOT IN (SELECT CAST(j.[value] AS varchar(max))
  FROM OPENJSON(@p1) AS j)

-- text_old _like
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE CAST(t0.[value] AS varchar(max)) LIKE CAST(@p1 AS varchar(max))

-- text_old _nlike
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE CAST(t0.[value] AS varchar(max)) NOT LIKE CAST(@p1 AS varchar(max))

-- xml _eq
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE CAST(t0.[value] AS nvarchar(max)) = @p1

-- xml _neq
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE CAST(t0.[value] AS nvarchar(max)) <> @p1

-- xml _gt
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE CAST(t0.[value] AS nvarchar(max)) > @p1

-- xml _lt
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE CAST(t0.[value] AS nvarchar(max)) < @p1

-- xml _gte
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE CAST(t0.[value] AS nvarchar(max)) >= @p1

-- xml _lte
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE CAST(t0.[value] AS nvarchar(max)) <= @p1

-- xml _in
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE CAST(t0.[value] AS nvarchar(max)) IN (SELECT j.[value]
  FROM OPENJSON(@p1) AS j)

-- xml _nin
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE CAST(t0.[value] AS nvarchar(max)) NOT IN (SELECT j.[value]
  FROM OPENJSON(@p1) AS j)

-- xml _like
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE CAST(t0.[value] AS nvarchar(max)) LIKE @p1

-- xml _nlike
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE CAST(t0.[value] AS nvarchar(max)) NOT LIKE @p1

-- datetime _eq
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] = CAST(CAST(@p1 AS datetime2) AS datetime)

-- datetime _neq
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] <> CAST(CAST(@p1 AS datetime2) AS datetime)

-- datetime _gt
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] > CAST(CAST(@p1 AS datetime2) AS datetime)

-- datetime _lt
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] < CAST(CAST(@p1 AS datetime2) AS datetime)

-- datetime _gte
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] >= CAST(CAST(@p1 AS datetime2) AS datetime)

-- datetime _lte
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] <= CAST(CAST(@p1 AS datetime2) AS datetime)

-- datetime _in
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] IN (SELECT CAST(CAST(j.[value] AS datetime2) AS datetime)
  FROM OPENJSON(@p1) AS j)

-- datetime _nin
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] NOT IN (SELECT CAST(CAST(j.[value] AS datetime2) AS datetime)
  FROM OPENJSON(@p1) AS j)

-- timestamptz _eq
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] = CAST(@p1 AS datetimeoffset)

-- timestamptz _neq
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] <> CAST(@p1 AS datetimeoffset)

-- timestamptz _gt
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] > CAST(@p1 AS datetimeoffset)

-- timestamptz _lt
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] < CAST(@p1 AS datetimeoffset)

-- timestamptz _gte
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] >= CAST(@p1 AS datetimeoffset)

-- timestamptz _lte
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] <= CAST(@p1 AS datetimeoffset)

-- timestamptz _in
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] IN (SELECT CAST(j.[value] AS datetimeoffset)
  FROM OPENJSON(@p1) AS j)

-- timestamptz _nin
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] NOT IN (SELECT CAST(j.[value] AS datetimeoffset)
  FROM OPENJSON(@p1) AS j)

-- uuid _eq
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] = CAST(@p1 AS uniqueidentifier)

-- uuid _in
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] IN (SELECT CAST(j.[value] AS uniqueidentifier)
  FROM OPENJSON(@p1) AS j)

-- bool _eq
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] = CAST(@p1 AS bit)

-- bool _in
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] IN (SELECT CAST(j.[value] AS bit)
  FROM OPENJSON(@p1) AS j)

-- decimal _eq
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] = CAST(@p1 AS decimal(38, 18))

-- decimal _neq
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] <> CAST(@p1 AS decimal(38, 18))

-- decimal _gt
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] > CAST(@p1 AS decimal(38, 18))

-- decimal _lt
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] < CAST(@p1 AS decimal(38, 18))

-- decimal _gte
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] >= CAST(@p1 AS decimal(38, 18))

-- decimal _lte
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] <= CAST(@p1 AS decimal(38, 18))

-- decimal _in
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] IN (SELECT CAST(j.[value] AS decimal(38, 18))
  FROM OPENJSON(@p1) AS j)

-- decimal _nin
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] NOT IN (SELECT CAST(j.[value] AS decimal(38, 18))
  FROM OPENJSON(@p1) AS j)

-- bytea _eq
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] = CONVERT(varbinary(max), @p1, 1)

-- bytea _in
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] IN (SELECT CONVERT(varbinary(max), j.[value], 1)
  FROM OPENJSON(@p1) AS j)

-- hierarchyid _eq
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] = CAST(CAST(@p1 AS nvarchar(4000)) AS hierarchyid)

-- hierarchyid _neq
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] <> CAST(CAST(@p1 AS nvarchar(4000)) AS hierarchyid)

-- hierarchyid _gt
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] > CAST(CAST(@p1 AS nvarchar(4000)) AS hierarchyid)

-- hierarchyid _lt
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] < CAST(CAST(@p1 AS nvarchar(4000)) AS hierarchyid)

-- hierarchyid _gte
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] >= CAST(CAST(@p1 AS nvarchar(4000)) AS hierarchyid)

-- hierarchyid _lte
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] <= CAST(CAST(@p1 AS nvarchar(4000)) AS hierarchyid)

-- hierarchyid _in
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] IN (SELECT CAST(CAST(j.[value] AS nvarchar(4000)) AS hierarchyid)
  FROM OPENJSON(@p1) AS j)

-- hierarchyid _nin
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] NOT IN (SELECT CAST(CAST(j.[value] AS nvarchar(4000)) AS hierarchyid)
  FROM OPENJSON(@p1) AS j)

-- geometry _st_contains
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value].STContains(geometry::STGeomFromText(@p1, 0)) = 1

-- geometry _st_crosses
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value].STCrosses(geometry::STGeomFromText(@p1, 0)) = 1

-- geometry _st_equals
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value].STEquals(geometry::STGeomFromText(@p1, 0)) = 1

-- geometry _st_intersects
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value].STIntersects(geometry::STGeomFromText(@p1, 0)) = 1

-- geometry _st_overlaps
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value].STOverlaps(geometry::STGeomFromText(@p1, 0)) = 1

-- geometry _st_touches
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value].STTouches(geometry::STGeomFromText(@p1, 0)) = 1

-- geometry _st_within
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value].STWithin(geometry::STGeomFromText(@p1, 0)) = 1

-- geography _st_contains
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value].STContains(geography::STGeomFromText(@p1, 4326)) = 1

-- geography _st_equals
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value].STEquals(geography::STGeomFromText(@p1, 4326)) = 1

-- geography _st_intersects
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value].STIntersects(geography::STGeomFromText(@p1, 4326)) = 1

-- geography _st_overlaps
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value].STOverlaps(geography::STGeomFromText(@p1, 4326)) = 1

-- geography _st_within
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value].STWithin(geography::STGeomFromText(@p1, 4326)) = 1

-- null
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[number] IS NULL

-- not null
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[number] IS NOT NULL

-- and or not
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[id] > CAST(@p1 AS int) AND (t0.[id] < CAST(@p2 AS int) OR t0.[number] IS NULL) AND NOT ((t0.[number] = CAST(@p3 AS int) OR t0.[number] = CAST(@p4 AS int)))

-- empty or
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE 1 = 0

-- empty and
SELECT t0.[id]
  FROM [dbo].[types] AS t0

-- not empty and
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE NOT (1 = 1)

-- two columns
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[id] < t0.[number]

-- null-safe columns
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE (t0.[id] = t0.[number] OR t0.[id] IS NULL AND t0.[number] IS NULL)

-- null-safe variable
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE (t0.[number] <> CAST(@p1 AS int) OR t0.[number] IS NOT NULL AND CAST(@p1 AS int) IS NULL)

-- variable list
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[number] IN (SELECT CAST(j.[value] AS int)
  FROM OPENJSON(@p1) AS j)

-- session variable
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[number] = CAST(@p1 AS int)

-- session list
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[number] IN (SELECT CAST(j.[value] AS int)
  FROM OPENJSON(@p1) AS j)

-- lookup
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[number] IN (SELECT CAST(j.[value] AS int)
  FROM OPENJSON(@p1) AS j)

-- a collation of its own, varchar
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] = CAST(@p1 COLLATE Cyrillic_General_CI_AS AS varchar(max)) AND t0.[value] IN (SELECT CAST(j.[value] COLLATE Cyrillic_General_CI_AS AS varchar(max))
  FROM OPENJSON(@p2) AS j)

-- a collation of its own, text
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[value] = @p1 COLLATE Cyrillic_General_CI_AS AND t0.[value] IN (SELECT j.[value] COLLATE Cyrillic_General_CI_AS
  FROM OPENJSON(@p2) AS j)

-- a collation of its own, text_old
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE CAST(t0.[value] AS varchar(max)) = CAST(@p1 COLLATE Cyrillic_General_CI_AS AS varchar(max)) AND CAST(t0.[value] AS varchar(max)) IN (SELECT CAST(j.[value] COLLATE Cyrillic_General_CI_AS AS varchar(max))
  FROM OPENJSON(@p2) AS j)

-- same value twice
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE t0.[id] > CAST(@p1 AS int) AND t0.[number] > CAST(@p1 AS int)

-- exists
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE EXISTS (SELECT 1
  FROM [dbo].[order] AS t1
  WHERE t1.[customer_id] = t0.[id] AND t1.[price] > CAST(@p1 AS decimal(38, 18)))

-- not exists
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE NOT (EXISTS (SELECT 1
  FROM [dbo].[order] AS t1
  WHERE t1.[customer_id] = t0.[id] AND t1.[price] > CAST(@p1 AS decimal(38, 18))))

-- exists in or
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE (EXISTS (SELECT 1
  FROM [dbo].[order] AS t1
  WHERE t1.[customer_id] = t0.[id] AND t1.[price] > CAST(@p1 AS decimal(38, 18))) OR t0.[id] = CAST(@p2 AS int))

-- exists of an object
SELECT t0.[id]
  FROM [dbo].[types] AS t0 JOIN [dbo].[customer] AS t1 ON t1.[id] = t0.[customer_id]
  WHERE t1.[name] = @p1

-- exists of two columns
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE EXISTS (SELECT 1
  FROM [sales].[item]]s] AS t1
  WHERE t1.[order_id] = t0.[id] AND t1.[region] = t0.[region])

-- exists anywhere
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE EXISTS (SELECT 1
  FROM [dbo].[customer] AS t1
  WHERE t1.[id] = CAST(@p1 AS int))

-- column of the root
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE EXISTS (SELECT 1
  FROM [dbo].[order] AS t1
  WHERE t1.[customer_id] = t0.[id] AND t1.[customer_id] = t0.[id])

-- predicate avg
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE (SELECT CASE WHEN AVG(t1.[weight]) > CAST(@p1 AS float) THEN 1 WHEN NOT (AVG(t1.[weight]) > CAST(@p1 AS float)) THEN 0 END
  FROM [dbo].[order] AS t1
  WHERE t1.[customer_id] = t0.[id]) = 1

-- predicate max
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE (SELECT CASE WHEN MAX(t1.[weight]) > CAST(@p1 AS float) THEN 1 WHEN NOT (MAX(t1.[weight]) > CAST(@p1 AS float)) THEN 0 END
  FROM [dbo].[order] AS t1
  WHERE t1.[customer_id] = t0.[id]) = 1

-- predicate sum
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE (SELECT CASE WHEN SUM(t1.[weight]) > CAST(@p1 AS float) THEN 1 WHEN NOT (SUM(t1.[weight]) > CAST(@p1 AS float)) THEN 0 END
  FROM [dbo].[order] AS t1
  WHERE t1.[customer_id] = t0.[id]) = 1

-- predicate stddev_samp
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE (SELECT CASE WHEN STDEV(t1.[weight]) > CAST(@p1 AS float) THEN 1 WHEN NOT (STDEV(t1.[weight]) > CAST(@p1 AS float)) THEN 0 END
  FROM [dbo].[order] AS t1
  WHERE t1.[customer_id] = t0.[id]) = 1

-- predicate count distinct
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE (SELECT CASE WHEN COUNT_BIG(DISTINCT t1.[region]) > CAST(@p1 AS int) AND COUNT_BIG(DISTINCT t1.[region]) < CAST(@p2 AS int) THEN 1 WHEN NOT (COUNT_BIG(DISTINCT t1.[region]) > CAST(@p1 AS int) AND COUNT_BIG(DISTINCT t1.[region]) < CAST(@p2 AS int)) THEN 0 END
  FROM [dbo].[order] AS t1
  WHERE t1.[customer_id] = t0.[id] AND t1.[price] > CAST(@p3 AS decimal(38, 18))) = 1

-- not predicate
SELECT t0.[id]
  FROM [dbo].[types] AS t0
  WHERE NOT ((SELECT CASE WHEN MAX(t1.[weight]) > CAST(@p1 AS float) THEN 1 WHEN NOT (MAX(t1.[weight]) > CAST(@p1 AS float)) THEN 0 END
  FROM [dbo].[order] AS t1
  WHERE t1.[customer_id] = t0.[id]) = 1)

