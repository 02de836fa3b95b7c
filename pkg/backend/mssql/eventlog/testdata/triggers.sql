CREATE TRIGGER [shop].[notify_engine_everything_INSERT] ON [shop].[st]]ock] AFTER INSERT AS
BEGIN
SET NOCOUNT ON;
INSERT INTO engine_catalog.event_log (schema_name, table_name, trigger_name, payload)
SELECT N'shop', N'st]ock', N'everything', N'{"op":"INSERT","data":{"old":' + N'null' + N',"new":' + (SELECT i.[sku] AS [sku], i.[place] AS [place], i.[qty] AS [qty], CAST(i.[note] AS nvarchar(max)) AS [note], CAST(i.[spot] AS nvarchar(max)) AS [spot] FOR JSON PATH, INCLUDE_NULL_VALUES, WITHOUT_ARRAY_WRAPPER) + N'},"session_variables":null,"trace_context":null}'
FROM INSERTED AS i;
END;
GO
CREATE TRIGGER [shop].[notify_engine_everything_UPDATE] ON [shop].[st]]ock] AFTER UPDATE AS
BEGIN
SET NOCOUNT ON;
INSERT INTO engine_catalog.event_log (schema_name, table_name, trigger_name, payload)
SELECT N'shop', N'st]ock', N'everything', N'{"op":"UPDATE","data":{"old":' + CASE WHEN d.[sku] IS NULL THEN N'null' ELSE (SELECT d.[sku] AS [sku], d.[place] AS [place], d.[qty] AS [qty], CAST(d.[note] AS nvarchar(max)) AS [note], CAST(d.[spot] AS nvarchar(max)) AS [spot] FOR JSON PATH, INCLUDE_NULL_VALUES, WITHOUT_ARRAY_WRAPPER) END + N',"new":' + (SELECT i.[sku] AS [sku], i.[place] AS [place], i.[qty] AS [qty], CAST(i.[note] AS nvarchar(max)) AS [note], CAST(i.[spot] AS nvarchar(max)) AS [spot] FOR JSON PATH, INCLUDE_NULL_VALUES, WITHOUT_ARRAY_WRAPPER) + N'},"session_variables":null,"trace_context":null}'
FROM INSERTED AS i LEFT JOIN DELETED AS d ON i.[sku] = d.[sku] AND i.[place] = d.[place] WHERE d.[sku] IS NULL OR EXISTS (SELECT i.[sku], CAST(i.[place] AS varbinary(max)), i.[qty], CAST(CAST(i.[note] AS nvarchar(max)) AS varbinary(max)), CAST(i.[spot] AS varbinary(max)) EXCEPT SELECT d.[sku], CAST(d.[place] AS varbinary(max)), d.[qty], CAST(CAST(d.[note] AS nvarchar(max)) AS varbinary(max)), CAST(d.[spot] AS varbinary(max)));
END;
GO
CREATE TRIGGER [shop].[notify_engine_everything_DELETE] ON [shop].[st]]ock] AFTER DELETE AS
BEGIN
SET NOCOUNT ON;
INSERT INTO engine_catalog.event_log (schema_name, table_name, trigger_name, payload)
SELECT N'shop', N'st]ock', N'everything', N'{"op":"DELETE","data":{"old":' + (SELECT d.[sku] AS [sku], d.[place] AS [place], d.[qty] AS [qty], CAST(d.[note] AS nvarchar(max)) AS [note], CAST(d.[spot] AS nvarchar(max)) AS [spot] FOR JSON PATH, INCLUDE_NULL_VALUES, WITHOUT_ARRAY_WRAPPER) + N',"new":' + N'null' + N'},"session_variables":null,"trace_context":null}'
FROM DELETED AS d;
END;
GO
CREATE TRIGGER [shop].[notify_engine_parts_INSERT] ON [shop].[st]]ock] AFTER INSERT NOT FOR REPLICATION AS
BEGIN
SET NOCOUNT ON;
INSERT INTO engine_catalog.event_log (schema_name, table_name, trigger_name, payload, order_key)
SELECT N'shop', N'st]ock', N'parts', N'{"op":"INSERT","data":{"old":' + N'null' + N',"new":' + (SELECT i.[sku] AS [sku] FOR JSON PATH, INCLUDE_NULL_VALUES, WITHOUT_ARRAY_WRAPPER) + N'},"session_variables":null,"trace_context":null}', LEFT(CAST(i.[sku] AS nvarchar(max)) + N'|' + CAST(i.[place] AS nvarchar(max)), 400)
FROM INSERTED AS i;
END;
GO
CREATE TRIGGER [shop].[notify_engine_parts_UPDATE] ON [shop].[st]]ock] AFTER UPDATE NOT FOR REPLICATION AS
BEGIN
SET NOCOUNT ON;
INSERT INTO engine_catalog.event_log (schema_name, table_name, trigger_name, payload, order_key)
SELECT N'shop', N'st]ock', N'parts', N'{"op":"UPDATE","data":{"old":' + CASE WHEN d.[sku] IS NULL THEN N'null' ELSE (SELECT d.[qty] AS [qty] FOR JSON PATH, INCLUDE_NULL_VALUES, WITHOUT_ARRAY_WRAPPER) END + N',"new":' + (SELECT i.[qty] AS [qty] FOR JSON PATH, INCLUDE_NULL_VALUES, WITHOUT_ARRAY_WRAPPER) + N'},"session_variables":null,"trace_context":null}', LEFT(CAST(i.[sku] AS nvarchar(max)) + N'|' + CAST(i.[place] AS nvarchar(max)), 400)
FROM INSERTED AS i LEFT JOIN DELETED AS d ON i.[sku] = d.[sku] AND i.[place] = d.[place] WHERE d.[sku] IS NULL OR EXISTS (SELECT CAST(i.[place] AS varbinary(max)), i.[qty] EXCEPT SELECT CAST(d.[place] AS varbinary(max)), d.[qty]);
END;
GO
CREATE TRIGGER [shop].[notify_engine_parts_DELETE] ON [shop].[st]]ock] AFTER DELETE NOT FOR REPLICATION AS
BEGIN
SET NOCOUNT ON;
INSERT INTO engine_catalog.event_log (schema_name, table_name, trigger_name, payload, order_key)
SELECT N'shop', N'st]ock', N'parts', N'{"op":"DELETE","data":{"old":' + N'{}' + N',"new":' + N'null' + N'},"session_variables":null,"trace_context":null}', LEFT(CAST(d.[sku] AS nvarchar(max)) + N'|' + CAST(d.[place] AS nvarchar(max)), 400)
FROM DELETED AS d;
END;
GO
CREATE TRIGGER [shop].[notify_engine_quantity_UPDATE] ON [shop].[st]]ock] AFTER UPDATE NOT FOR REPLICATION AS
BEGIN
SET NOCOUNT ON;
INSERT INTO engine_catalog.event_log (schema_name, table_name, trigger_name, payload)
SELECT N'shop', N'st]ock', N'quantity', N'{"op":"UPDATE","data":{"old":' + CASE WHEN d.[sku] IS NULL THEN N'null' ELSE (SELECT d.[sku] AS [sku], d.[place] AS [place], d.[qty] AS [qty], CAST(d.[note] AS nvarchar(max)) AS [note], CAST(d.[spot] AS nvarchar(max)) AS [spot] FOR JSON PATH, INCLUDE_NULL_VALUES, WITHOUT_ARRAY_WRAPPER) END + N',"new":' + (SELECT i.[sku] AS [sku], i.[place] AS [place], i.[qty] AS [qty], CAST(i.[note] AS nvarchar(max)) AS [note], CAST(i.[spot] AS nvarchar(max)) AS [spot] FOR JSON PATH, INCLUDE_NULL_VALUES, WITHOUT_ARRAY_WRAPPER) + N'},"session_variables":null,"trace_context":null}'
FROM INSERTED AS i LEFT JOIN DELETED AS d ON i.[sku] = d.[sku] AND i.[place] = d.[place] WHERE NOT (d.[sku] IS NULL) AND EXISTS (SELECT i.[qty] EXCEPT SELECT d.[qty]);
END;
GO
CREATE TRIGGER [shop].[notify_engine_nothing_UPDATE] ON [shop].[st]]ock] AFTER UPDATE NOT FOR REPLICATION AS
BEGIN
SET NOCOUNT ON;
INSERT INTO engine_catalog.event_log (schema_name, table_name, trigger_name, payload)
SELECT N'shop', N'st]ock', N'nothing', N'{"op":"UPDATE","data":{"old":' + CASE WHEN d.[sku] IS NULL THEN N'null' ELSE (SELECT d.[sku] AS [sku], d.[place] AS [place], d.[qty] AS [qty], CAST(d.[note] AS nvarchar(max)) AS [note], CAST(d.[spot] AS nvarchar(max)) AS [spot] FOR JSON PATH, INCLUDE_NULL_VALUES, WITHOUT_ARRAY_WRAPPER) END + N',"new":' + (SELECT i.[sku] AS [sku], i.[place] AS [place], i.[qty] AS [qty], CAST(i.[note] AS nvarchar(max)) AS [note], CAST(i.[spot] AS nvarchar(max)) AS [spot] FOR JSON PATH, INCLUDE_NULL_VALUES, WITHOUT_ARRAY_WRAPPER) + N'},"session_variables":null,"trace_context":null}'
FROM INSERTED AS i LEFT JOIN DELETED AS d ON i.[sku] = d.[sku] AND i.[place] = d.[place] WHERE 1 = 0;
END;
GO
CREATE TRIGGER [shop].[notify_engine_keyless_INSERT] ON [shop].[st]]ock] AFTER INSERT NOT FOR REPLICATION AS
BEGIN
SET NOCOUNT ON;
INSERT INTO engine_catalog.event_log (schema_name, table_name, trigger_name, payload, order_key)
SELECT N'shop', N'st]ock', N'keyless', N'{"op":"INSERT","data":{"old":' + N'null' + N',"new":' + (SELECT i.[sku] AS [sku], i.[place] AS [place], i.[qty] AS [qty], CAST(i.[note] AS nvarchar(max)) AS [note], CAST(i.[spot] AS nvarchar(max)) AS [spot] FOR JSON PATH, INCLUDE_NULL_VALUES, WITHOUT_ARRAY_WRAPPER) + N'},"session_variables":null,"trace_context":null}', N''
FROM INSERTED AS i;
END;
GO
CREATE TRIGGER [shop].[notify_engine_keyless_DELETE] ON [shop].[st]]ock] AFTER DELETE NOT FOR REPLICATION AS
BEGIN
SET NOCOUNT ON;
INSERT INTO engine_catalog.event_log (schema_name, table_name, trigger_name, payload, order_key)
SELECT N'shop', N'st]ock', N'keyless', N'{"op":"DELETE","data":{"old":' + (SELECT d.[sku] AS [sku], d.[place] AS [place], d.[qty] AS [qty], CAST(d.[note] AS nvarchar(max)) AS [note], CAST(d.[spot] AS nvarchar(max)) AS [spot] FOR JSON PATH, INCLUDE_NULL_VALUES, WITHOUT_ARRAY_WRAPPER) + N',"new":' + N'null' + N'},"session_variables":null,"trace_context":null}', N''
FROM DELETED AS d;
END;
GO
CREATE TRIGGER [shop].[notify_engine_dotted_INSERT] ON [shop].[st]]ock] AFTER INSERT NOT FOR REPLICATION AS
BEGIN
SET NOCOUNT ON;
INSERT INTO engine_catalog.event_log (schema_name, table_name, trigger_name, payload)
SELECT N'shop', N'st]ock', N'dotted', N'{"op":"INSERT","data":{"old":' + N'null' + N',"new":' + (SELECT N'{' + N'"a.b":' + SUBSTRING(c0.j, 6, LEN(c0.j) - 6) + N',' + N'"it''s \"a\".":' + SUBSTRING(c1.j, 6, LEN(c1.j) - 6) + N',' + SUBSTRING(r.j, 2, LEN(r.j) - 2) + N'}' FROM (SELECT (SELECT i.[a.b] AS [v] FOR JSON PATH, INCLUDE_NULL_VALUES, WITHOUT_ARRAY_WRAPPER) AS j) AS c0 CROSS JOIN (SELECT (SELECT i.[it's "a".] AS [v] FOR JSON PATH, INCLUDE_NULL_VALUES, WITHOUT_ARRAY_WRAPPER) AS j) AS c1 CROSS JOIN (SELECT (SELECT i.[sku] AS [sku], i.[place] AS [place], i.[qty] AS [qty], CAST(i.[note] AS nvarchar(max)) AS [note], CAST(i.[spot] AS nvarchar(max)) AS [spot], i.[a] AS [a] FOR JSON PATH, INCLUDE_NULL_VALUES, WITHOUT_ARRAY_WRAPPER) AS j) AS r) + N'},"session_variables":null,"trace_context":null}'
FROM INSERTED AS i;
END;
GO
CREATE TRIGGER [shop].[notify_engine_dotted_DELETE] ON [shop].[st]]ock] AFTER DELETE NOT FOR REPLICATION AS
BEGIN
SET NOCOUNT ON;
INSERT INTO engine_catalog.event_log (schema_name, table_name, trigger_name, payload)
SELECT N'shop', N'st]ock', N'dotted', N'{"op":"DELETE","data":{"old":' + (SELECT N'{' + N'"a.b":' + SUBSTRING(c0.j, 6, LEN(c0.j) - 6) + N'}' FROM (SELECT (SELECT d.[a.b] AS [v] FOR JSON PATH, INCLUDE_NULL_VALUES, WITHOUT_ARRAY_WRAPPER) AS j) AS c0) + N',"new":' + N'null' + N'},"session_variables":null,"trace_context":null}'
FROM DELETED AS d;
END;
