-- aggregate
SELECT t2."?0", t2."?1", t2."?2", t2."?3", t2."?4", t2."?5", t2."?6", t2."?7", ARRAY(SELECT record_send(ROW(t1."id")) FROM "public"."track" AS t1 ORDER BY t1."id") FROM (SELECT count(*) AS "?0", count(DISTINCT (t0."album_id", t0."genre_id")) AS "?1", count(t0."seconds") AS "?2", avg(t0."seconds") AS "?3", sum(t0."plays") AS "?4", min(t0."mood") AS "?5", max(t0."price") AS "?6", stddev(t0."price") AS "?7" FROM "public"."track" AS t0) AS t2;
-- aggregate_of_nothing
SELECT t2."?0", t2."?1", t2."?2", t2."?3", t2."?4", t2."?5", t2."?6", t2."?7", ARRAY(SELECT record_send(ROW(t1."id")) FROM "public"."track" AS t1 WHERE FALSE ORDER BY t1."id") FROM (SELECT count(*) AS "?0", count(DISTINCT (t0."album_id", t0."genre_id")) AS "?1", count(t0."seconds") AS "?2", avg(t0."seconds") AS "?3", sum(t0."plays") AS "?4", min(t0."mood") AS "?5", max(t0."price") AS "?6", stddev(t0."price") AS "?7" FROM "public"."track" AS t0 WHERE FALSE) AS t2;
-- aggregate_of_slice
SELECT t4."?0", t4."?1", ARRAY(SELECT record_send(ROW(t2."id", t3."title", t3."id")) FROM "public"."track" AS t2 LEFT JOIN "public"."album" AS t3 ON t3."id" = t2."album_id" ORDER BY t2."id" LIMIT 2 OFFSET 1) FROM (SELECT count(*) AS "?0", max(t1."id") AS "?1" FROM (SELECT t0.* FROM "public"."track" AS t0 ORDER BY t0."id" LIMIT 6 OFFSET 1) AS t1) AS t4;
-- aggregate_without_nodes
SELECT t3."?0", ARRAY(SELECT record_send(ROW(t2."id")) FROM "public"."album" AS t2 ORDER BY t2."id" LIMIT 0) FROM (SELECT count(*) AS "?0" FROM (SELECT t0.* FROM "public"."album" AS t0 ORDER BY t0."id" LIMIT 3) AS t1) AS t3;
-- array_relationship_of_object
SELECT t0."id", ARRAY(SELECT record_send(ROW(t2."id")) FROM "public"."track" AS t2 WHERE t2."album_id" = t1."id" ORDER BY t2."id" LIMIT 2), t1."id" FROM "public"."track" AS t0 LEFT JOIN "public"."album" AS t1 ON t1."id" = t0."album_id" ORDER BY t0."id" LIMIT 12;
-- array_relationships
SELECT t0."name", ARRAY(SELECT record_send(ROW(t1."title", t1."released", ARRAY(SELECT record_send(ROW(t2."id", t3."name", t3."id")) FROM "public"."track" AS t2 LEFT JOIN "public"."genre" AS t3 ON t3."id" = t2."genre_id" WHERE t2."album_id" = t1."id" ORDER BY t2."id" LIMIT least($1::int4, 5)))) FROM "public"."album" AS t1 WHERE t1."artist_id" = t0."id" ORDER BY t1."id" LIMIT 10) FROM "public"."artist" AS t0 ORDER BY t0."id";
-- computed_fields_of_any_object
SELECT t0."id", (CASE WHEN t2."?exists" IS NOT NULL THEN "public"."album_title"(t2."?row", $1::json, "prefix" => $2::text) END), (CASE WHEN t2."?exists" IS NOT NULL THEN "public"."strict_title"(t2."?row") END), CASE WHEN t2."?exists" IS NOT NULL THEN ARRAY(SELECT record_send(ROW(t3."id")) FROM "public"."album_long_tracks"(t2."?row", $3::int4) AS t3 ORDER BY t3."id") END, t2."?exists" FROM "public"."track" AS t0 LEFT JOIN LATERAL (SELECT t1.*, TRUE AS "?exists", t1 AS "?row" FROM "public"."album" AS t1 WHERE t1."id" = t0."album_id" LIMIT 1) AS t2 ON TRUE ORDER BY t0."id" LIMIT 11;
-- connection_after_keys
SELECT ARRAY(SELECT record_send(ROW(t0."album_id", t0."id", t0."title")) FROM "public"."track" AS t0 WHERE t0."id" < $1::int4 AND t0."album_id" <= $2::int4 AND (t0."album_id" < $2::int4 OR t0."album_id" = $2::int4 AND t0."id" > $3::int4) ORDER BY t0."album_id" DESC, t0."id" LIMIT 3), EXISTS(SELECT 1 FROM "public"."track" AS t1 WHERE t1."id" < $1::int4 AND (t1."album_id" <= $2::int4 AND (t1."album_id" < $2::int4 OR t1."album_id" = $2::int4 AND t1."id" > $3::int4)) IS NOT TRUE);
-- connection_after_null
SELECT ARRAY(SELECT record_send(ROW(t0."album_id", t0."id", t0."title")) FROM "public"."track" AS t0 WHERE t0."id" < $1::int4 AND (t0."album_id" IS NOT NULL OR t0."album_id" IS NULL AND t0."id" > $2::int4) ORDER BY t0."album_id" DESC, t0."id"), EXISTS(SELECT 1 FROM "public"."track" AS t1 WHERE t1."id" < $1::int4 AND ((t1."album_id" IS NOT NULL OR t1."album_id" IS NULL AND t1."id" > $2::int4)) IS NOT TRUE);
-- connection_before_null
SELECT ARRAY(SELECT record_send(ROW(t0."album_id", t0."id", t0."title")) FROM "public"."track" AS t0 WHERE t0."id" < $1::int4 AND (t0."album_id" IS NOT NULL OR t0."album_id" IS NULL AND t0."id" < $2::int4) ORDER BY t0."album_id" DESC, t0."id" DESC LIMIT 3), EXISTS(SELECT 1 FROM "public"."track" AS t1 WHERE t1."id" < $1::int4 AND ((t1."album_id" IS NOT NULL OR t1."album_id" IS NULL AND t1."id" < $2::int4)) IS NOT TRUE);
-- connection_distinct
SELECT ARRAY(SELECT record_send(ROW(t1."album_id", t1."id", t1."title")) FROM (SELECT DISTINCT ON (t0."album_id") t0.* FROM "public"."track" AS t0 WHERE t0."id" < $1::int4 ORDER BY t0."album_id", t0."id") AS t1 WHERE ((t1."album_id" > $2::int4 OR t1."album_id" IS NULL) OR t1."album_id" = $2::int4 AND t1."id" > $2::int4) ORDER BY t1."album_id", t1."id" LIMIT 2), EXISTS(SELECT 1 FROM (SELECT DISTINCT ON (t2."album_id") t2.* FROM "public"."track" AS t2 WHERE t2."id" < $1::int4 ORDER BY t2."album_id", t2."id") AS t3 WHERE (((t3."album_id" > $2::int4 OR t3."album_id" IS NULL) OR t3."album_id" = $2::int4 AND t3."id" > $2::int4)) IS NOT TRUE);
-- connection_joins_what_it_keeps
SELECT ARRAY(SELECT record_send(ROW(t0."id", t0."title", t1."title", t1."id")) FROM "public"."track" AS t0 LEFT JOIN "public"."album" AS t1 ON t1."id" = t0."album_id" WHERE t0."id" < $1::int4 ORDER BY t0."id" LIMIT 3);
-- connection_last_before
SELECT ARRAY(SELECT record_send(ROW(t0."id", t0."title")) FROM "public"."track" AS t0 WHERE t0."id" < $1::int4 AND t0."id" < $2::int4 ORDER BY t0."id" DESC LIMIT 2), EXISTS(SELECT 1 FROM "public"."track" AS t1 WHERE t1."id" < $1::int4 AND (t1."id" < $2::int4) IS NOT TRUE);
-- distinct_on
SELECT DISTINCT ON (t0."album_id") t0."id", t0."album_id", t1."title", t1."id" FROM "public"."track" AS t0 LEFT JOIN "public"."album" AS t1 ON t1."id" = t0."album_id" ORDER BY t0."album_id", t0."seconds" DESC, t0."id" LIMIT 4;
-- function
SELECT t0."id", "public"."track_label"(t0), t1."title", t1."id" FROM "public"."search_track"($1::text) AS t0 LEFT JOIN "public"."album" AS t1 ON t1."id" = t0."album_id" ORDER BY t0."id" LIMIT 3;
-- function_aggregate
WITH t1 AS MATERIALIZED (SELECT t0.*, t0 AS "?row" FROM "public"."search_track"($1::text) AS t0) SELECT count(*), ARRAY(SELECT record_send(ROW("public"."track_label"(t3."?row"), t4."title", t4."id")) FROM t1 AS t3 LEFT JOIN "public"."album" AS t4 ON t4."id" = t3."album_id" ORDER BY t3."id" LIMIT 2) FROM t1 AS t2;
-- insert_child
INSERT INTO "public"."album" AS t0 ("title") VALUES ($1::text) ON CONFLICT ("title") DO UPDATE SET "title" = EXCLUDED."title" RETURNING (CASE WHEN t0.xmax = 0 THEN EXISTS (SELECT 1 FROM "public"."album" AS t1 WHERE t1."id" = t0."parent" AND t1."price" < $2::numeric) ELSE EXISTS (SELECT 1 FROM "public"."album" AS t2 WHERE t2."id" = t0."parent" AND EXISTS (SELECT 1 FROM "archive"."note" AS t3 WHERE t3."track_id" = t2."id")) END);
-- insert_many
INSERT INTO "public"."album" AS t0 ("title", "tags", "price") VALUES ($1::text, $2::text[], $3::numeric), ($4::text, NULL::text[], $3::numeric) RETURNING t0."title";
-- insert_order
SELECT 'order';
-- live_aggregate
SELECT t2."?0", t2."?1", t2."?2", t2."?3", t2."?4", t2."?5", t2."?6", t2."?7", ARRAY(SELECT record_send(ROW(t1."id")) FROM "public"."track" AS t1 ORDER BY t1."id") FROM (SELECT count(*) AS "?0", count(DISTINCT (t0."album_id", t0."genre_id")) AS "?1", count(t0."seconds") AS "?2", avg(t0."seconds") AS "?3", sum(t0."plays") AS "?4", min(t0."mood") AS "?5", max(t0."price") AS "?6", stddev(t0."price") AS "?7" FROM "public"."track" AS t0) AS t2;
-- live_aggregate_nodes_only
SELECT ARRAY(SELECT record_send(ROW(t0."id")) FROM "public"."track" AS t0 ORDER BY t0."id" LIMIT 2);
-- live_aggregate_of_many_columns
SELECT max(t0."id") FROM "public"."track" AS t0;
-- live_aggregate_of_nothing
SELECT t2."?0", t2."?1", t2."?2", t2."?3", t2."?4", t2."?5", t2."?6", t2."?7", ARRAY(SELECT record_send(ROW(t1."id")) FROM "public"."track" AS t1 WHERE FALSE ORDER BY t1."id") FROM (SELECT count(*) AS "?0", count(DISTINCT (t0."album_id", t0."genre_id")) AS "?1", count(t0."seconds") AS "?2", avg(t0."seconds") AS "?3", sum(t0."plays") AS "?4", min(t0."mood") AS "?5", max(t0."price") AS "?6", stddev(t0."price") AS "?7" FROM "public"."track" AS t0 WHERE FALSE) AS t2;
-- live_aggregate_of_slice
SELECT t4."?0", t4."?1", ARRAY(SELECT record_send(ROW(t2."id", t3."title", t3."id")) FROM "public"."track" AS t2 LEFT JOIN "public"."album" AS t3 ON t3."id" = t2."album_id" ORDER BY t2."id" LIMIT 2 OFFSET 1) FROM (SELECT count(*) AS "?0", max(t1."id") AS "?1" FROM (SELECT t0.* FROM "public"."track" AS t0 ORDER BY t0."id" LIMIT 6 OFFSET 1) AS t1) AS t4;
-- live_aggregate_relationship
SELECT t0."title", (SELECT record_send(ROW(count(*), max(t1."title"), ARRAY(SELECT record_send(ROW(t2."id")) FROM "public"."track" AS t2 WHERE t2."album_id" = t0."id" AND t2."seconds" > $1::int4 ORDER BY t2."id"))) FROM "public"."track" AS t1 WHERE t1."album_id" = t0."id" AND t1."seconds" > $1::int4) FROM "public"."album" AS t0 ORDER BY t0."id";
-- live_aggregate_stringified
SELECT count(*), count(DISTINCT (t0."album_id", t0."genre_id")), count(t0."seconds"), avg(t0."seconds"), sum(t0."plays"), min(t0."mood"), max(t0."price"), stddev(t0."price") FROM "public"."track" AS t0;
-- live_aggregate_without_nodes
SELECT t3."?0", ARRAY(SELECT record_send(ROW(t2."id")) FROM "public"."album" AS t2 ORDER BY t2."id" LIMIT 0) FROM (SELECT count(*) AS "?0" FROM (SELECT t0.* FROM "public"."album" AS t0 ORDER BY t0."id" LIMIT 3) AS t1) AS t3;
-- live_all_types
SELECT t0."id", t0."title", t0."seconds", t0."price", t0."plays", t0."mood", t0."tags" FROM "public"."track" AS t0 ORDER BY t0."id" LIMIT 7 OFFSET 1;
-- live_array_relationship_of_object
SELECT t0."id", ARRAY(SELECT record_send(ROW(t2."id")) FROM "public"."track" AS t2 WHERE t2."album_id" = t1."id" ORDER BY t2."id" LIMIT 2), t1."id" FROM "public"."track" AS t0 LEFT JOIN "public"."album" AS t1 ON t1."id" = t0."album_id" ORDER BY t0."id" LIMIT 12;
-- live_array_relationships
SELECT t0."name", ARRAY(SELECT record_send(ROW(t1."title", t1."released", ARRAY(SELECT record_send(ROW(t2."id", t3."name", t3."id")) FROM "public"."track" AS t2 LEFT JOIN "public"."genre" AS t3 ON t3."id" = t2."genre_id" WHERE t2."album_id" = t1."id" ORDER BY t2."id" LIMIT least($1::int4, 5)))) FROM "public"."album" AS t1 WHERE t1."artist_id" = t0."id" ORDER BY t1."id" LIMIT 10) FROM "public"."artist" AS t0 ORDER BY t0."id";
-- live_by_key
SELECT t0."id", t0."title", t0."released", t0."odd ""name" FROM "public"."album" AS t0 WHERE t0."id" = $1::int4;
-- live_by_key_missing
SELECT t0."id" FROM "public"."album" AS t0 WHERE t0."id" = $1::int4;
-- live_by_keys
SELECT t1."id", ARRAY(SELECT record_send(ROW(t2."title")) FROM "public"."track" AS t2 WHERE t2."id" = t0."id" AND t2."title" = t0."title" ORDER BY t2."id" LIMIT 2) FROM (SELECT * FROM ROWS FROM (json_to_recordset($1::json) AS ("id" int4, "title" text)) WITH ORDINALITY AS "k"("id", "title", "n")) AS t0 LEFT JOIN "public"."album" AS t1 ON t1."id" = t0."id" AND t1."title" = t0."title" ORDER BY t0."n";
-- live_by_keys_without_columns
SELECT t2."id", t2."?exists", ARRAY(SELECT record_send(ROW(t3."title")) FROM "public"."track" AS t3 ORDER BY t3."id" LIMIT 2) FROM (SELECT "n" AS "n" FROM json_array_elements($1::json) WITH ORDINALITY AS "e"("v", "n")) AS t0 LEFT JOIN LATERAL (SELECT t1.*, TRUE AS "?exists" FROM "public"."album" AS t1 LIMIT 1) AS t2 ON TRUE ORDER BY t0."n";
-- live_computed_fields
SELECT t0."id", "public"."album_title"(t0, $1::json, "prefix" => $2::text), "public"."strict_title"(t0), ARRAY(SELECT record_send(ROW(t1."id")) FROM "public"."album_long_tracks"(t0, $3::int4) AS t1 ORDER BY t1."id") FROM "public"."album" AS t0 ORDER BY t0."id" LIMIT 3;
-- live_computed_fields_of_any_object
SELECT t0."id", (CASE WHEN t2."?exists" IS NOT NULL THEN "public"."album_title"(t2."?row", $1::json, "prefix" => $2::text) END), (CASE WHEN t2."?exists" IS NOT NULL THEN "public"."strict_title"(t2."?row") END), CASE WHEN t2."?exists" IS NOT NULL THEN ARRAY(SELECT record_send(ROW(t3."id")) FROM "public"."album_long_tracks"(t2."?row", $3::int4) AS t3 ORDER BY t3."id") END, t2."?exists" FROM "public"."track" AS t0 LEFT JOIN LATERAL (SELECT t1.*, TRUE AS "?exists", t1 AS "?row" FROM "public"."album" AS t1 WHERE t1."id" = t0."album_id" LIMIT 1) AS t2 ON TRUE ORDER BY t0."id" LIMIT 11;
-- live_computed_fields_of_object
SELECT t0."id", (CASE WHEN t1."id" IS NOT NULL THEN "public"."album_title"(t1, $1::json, "prefix" => $2::text) END), (CASE WHEN t1."id" IS NOT NULL THEN "public"."strict_title"(t1) END), CASE WHEN t1."id" IS NOT NULL THEN ARRAY(SELECT record_send(ROW(t2."id")) FROM "public"."album_long_tracks"(t1, $3::int4) AS t2 ORDER BY t2."id") END, t1."id" FROM "public"."track" AS t0 LEFT JOIN "public"."album" AS t1 ON t1."id" = t0."album_id" ORDER BY t0."id";
-- live_connection_after_keys
SELECT ARRAY(SELECT record_send(ROW(t0."album_id", t0."id", t0."title")) FROM "public"."track" AS t0 WHERE t0."id" < $1::int4 AND t0."album_id" <= $2::int4 AND (t0."album_id" < $2::int4 OR t0."album_id" = $2::int4 AND t0."id" > $3::int4) ORDER BY t0."album_id" DESC, t0."id" LIMIT 3), EXISTS(SELECT 1 FROM "public"."track" AS t1 WHERE t1."id" < $1::int4 AND (t1."album_id" <= $2::int4 AND (t1."album_id" < $2::int4 OR t1."album_id" = $2::int4 AND t1."id" > $3::int4)) IS NOT TRUE);
-- live_connection_after_null
SELECT ARRAY(SELECT record_send(ROW(t0."album_id", t0."id", t0."title")) FROM "public"."track" AS t0 WHERE t0."id" < $1::int4 AND (t0."album_id" IS NOT NULL OR t0."album_id" IS NULL AND t0."id" > $2::int4) ORDER BY t0."album_id" DESC, t0."id"), EXISTS(SELECT 1 FROM "public"."track" AS t1 WHERE t1."id" < $1::int4 AND ((t1."album_id" IS NOT NULL OR t1."album_id" IS NULL AND t1."id" > $2::int4)) IS NOT TRUE);
-- live_connection_all
SELECT ARRAY(SELECT record_send(ROW(t0."id", t0."title")) FROM "public"."track" AS t0 WHERE t0."id" < $1::int4 ORDER BY t0."id");
-- live_connection_before_null
SELECT ARRAY(SELECT record_send(ROW(t0."album_id", t0."id", t0."title")) FROM "public"."track" AS t0 WHERE t0."id" < $1::int4 AND (t0."album_id" IS NOT NULL OR t0."album_id" IS NULL AND t0."id" < $2::int4) ORDER BY t0."album_id" DESC, t0."id" DESC LIMIT 3), EXISTS(SELECT 1 FROM "public"."track" AS t1 WHERE t1."id" < $1::int4 AND ((t1."album_id" IS NOT NULL OR t1."album_id" IS NULL AND t1."id" < $2::int4)) IS NOT TRUE);
-- live_connection_by_relationship
SELECT ARRAY(SELECT record_send(ROW(t1."title", t0."id", t0."title")) FROM "public"."track" AS t0 LEFT JOIN "public"."album" AS t1 ON t1."id" = t0."album_id" WHERE t0."id" < $1::int4 ORDER BY t1."title", t0."id" LIMIT 3);
-- live_connection_distinct
SELECT ARRAY(SELECT record_send(ROW(t1."album_id", t1."id", t1."title")) FROM (SELECT DISTINCT ON (t0."album_id") t0.* FROM "public"."track" AS t0 WHERE t0."id" < $1::int4 ORDER BY t0."album_id", t0."id") AS t1 WHERE ((t1."album_id" > $2::int4 OR t1."album_id" IS NULL) OR t1."album_id" = $2::int4 AND t1."id" > $2::int4) ORDER BY t1."album_id", t1."id" LIMIT 2), EXISTS(SELECT 1 FROM (SELECT DISTINCT ON (t2."album_id") t2.* FROM "public"."track" AS t2 WHERE t2."id" < $1::int4 ORDER BY t2."album_id", t2."id") AS t3 WHERE (((t3."album_id" > $2::int4 OR t3."album_id" IS NULL) OR t3."album_id" = $2::int4 AND t3."id" > $2::int4)) IS NOT TRUE);
-- live_connection_first
SELECT ARRAY(SELECT record_send(ROW(t0."id", t0."title")) FROM "public"."track" AS t0 WHERE t0."id" < $1::int4 ORDER BY t0."id" LIMIT 3);
-- live_connection_joins_what_it_keeps
SELECT ARRAY(SELECT record_send(ROW(t0."id", t0."title", t1."title", t1."id")) FROM "public"."track" AS t0 LEFT JOIN "public"."album" AS t1 ON t1."id" = t0."album_id" WHERE t0."id" < $1::int4 ORDER BY t0."id" LIMIT 3);
-- live_connection_last_before
SELECT ARRAY(SELECT record_send(ROW(t0."id", t0."title")) FROM "public"."track" AS t0 WHERE t0."id" < $1::int4 AND t0."id" < $2::int4 ORDER BY t0."id" DESC LIMIT 2), EXISTS(SELECT 1 FROM "public"."track" AS t1 WHERE t1."id" < $1::int4 AND (t1."id" < $2::int4) IS NOT TRUE);
-- live_connection_nested
SELECT t0."title", ARRAY(SELECT record_send(ROW(t1."id", t1."title")) FROM "public"."track" AS t1 WHERE t1."album_id" = t0."id" AND t1."id" < $1::int4 ORDER BY t1."id" LIMIT 2) FROM "public"."album" AS t0 ORDER BY t0."id";
-- live_connection_numbers_as_numbers
SELECT ARRAY(SELECT record_send(ROW(t0."id", t0."title")) FROM "public"."track" AS t0 WHERE t0."id" < $1::int4 ORDER BY t0."id");
-- live_distinct_on
SELECT DISTINCT ON (t0."album_id") t0."id", t0."album_id", t1."title", t1."id" FROM "public"."track" AS t0 LEFT JOIN "public"."album" AS t1 ON t1."id" = t0."album_id" ORDER BY t0."album_id", t0."seconds" DESC, t0."id" LIMIT 4;
-- live_distinct_on_redacted
SELECT DISTINCT ON ((CASE WHEN EXISTS (SELECT 1 FROM "public"."album" AS t1 WHERE t1."id" = t0."album_id" AND t1."id" > $1::int4) THEN t0."seconds" END)) t0."id" FROM "public"."track" AS t0 ORDER BY (CASE WHEN EXISTS (SELECT 1 FROM "public"."album" AS t1 WHERE t1."id" = t0."album_id" AND t1."id" > $1::int4) THEN t0."seconds" END), t0."id";
-- live_function
SELECT t0."id", "public"."track_label"(t0), t1."title", t1."id" FROM "public"."search_track"($1::text) AS t0 LEFT JOIN "public"."album" AS t1 ON t1."id" = t0."album_id" ORDER BY t0."id" LIMIT 3;
-- live_function_aggregate
WITH t1 AS MATERIALIZED (SELECT t0.*, t0 AS "?row" FROM "public"."search_track"($1::text) AS t0) SELECT count(*), ARRAY(SELECT record_send(ROW("public"."track_label"(t3."?row"), t4."title", t4."id")) FROM t1 AS t3 LEFT JOIN "public"."album" AS t4 ON t4."id" = t3."album_id" ORDER BY t3."id" LIMIT 2) FROM t1 AS t2;
-- live_function_of_no_row
SELECT t0."title" FROM "public"."one_album"("wanted" => $1::int4) AS t0 WHERE NOT (t0 IS NULL);
-- live_function_of_one_row
SELECT t0."title" FROM "public"."one_album"("wanted" => $1::int4) AS t0 WHERE NOT (t0 IS NULL);
-- live_long_key
SELECT t0."id", t0."title" FROM "public"."track" AS t0 ORDER BY t0."id" LIMIT 2;
-- live_lookup
SELECT t0."id" FROM "public"."album" AS t0 WHERE t0."title" = ANY($1::text[]) ORDER BY t0."id";
-- live_lookup_of_nothing
SELECT t0."id" FROM "public"."album" AS t0 WHERE t0."title" = ANY($1::text[]) ORDER BY t0."id";
-- live_no_fields
SELECT 1 FROM "public"."genre" AS t0;
-- live_no_rows
SELECT t0."id" FROM "public"."album" AS t0 WHERE FALSE;
-- live_object_relationship_under_limit
SELECT t0."id", t1."title", t1."id" FROM "public"."track" AS t0 LEFT JOIN "public"."album" AS t1 ON t1."id" = t0."album_id" ORDER BY t0."seconds" DESC, t0."id" LIMIT 5;
-- live_object_relationship_without_key
SELECT t0."id", t2."id", t2."?exists" FROM "public"."track" AS t0 LEFT JOIN LATERAL (SELECT t1.*, TRUE AS "?exists" FROM "public"."track" AS t1 WHERE t1."seconds" = t0."seconds" ORDER BY t1."id" LIMIT 1) AS t2 ON TRUE ORDER BY t0."id";
-- live_object_relationships
SELECT t0."id", t1."title", t2."name", t2."born", t2."id", t1."id", t3."name", t3."id" FROM "public"."track" AS t0 LEFT JOIN "public"."album" AS t1 ON t1."id" = t0."album_id" LEFT JOIN "public"."artist" AS t2 ON t2."id" = t1."artist_id" AND t2."owner_id" = $1::int4 LEFT JOIN "public"."genre" AS t3 ON t3."id" = t0."genre_id" ORDER BY t0."id";
-- live_offset_with_lists
SELECT t0."title", ARRAY(SELECT record_send(ROW(t1."id")) FROM "public"."track" AS t1 WHERE t1."album_id" = t0."id" ORDER BY t1."id") FROM "public"."album" AS t0 ORDER BY t0."id" OFFSET 2;
-- live_order_by_aggregate
SELECT t0."title", t3."name", t3."id" FROM "public"."album" AS t0 LEFT JOIN "public"."artist" AS t3 ON t3."id" = t0."artist_id" ORDER BY (SELECT count(*) FROM "public"."track" AS t1 WHERE t1."album_id" = t0."id") DESC NULLS LAST, (SELECT avg(t2."seconds") FROM "public"."track" AS t2 WHERE t2."album_id" = t0."id" AND t2."seconds" > $1::int4), t0."id" LIMIT 3;
-- live_order_by_computed
SELECT "public"."track_label"(t0), t1."title", t1."id" FROM "public"."track" AS t0 LEFT JOIN "public"."album" AS t1 ON t1."id" = t0."album_id" ORDER BY "public"."track_label"(t0) DESC NULLS LAST LIMIT 3;
-- live_order_by_count_of_related
SELECT t0."id" FROM "public"."track" AS t0 LEFT JOIN "public"."album" AS t1 ON t1."id" = t0."album_id" ORDER BY (CASE WHEN t1."id" IS NOT NULL THEN (SELECT count(*) FROM "public"."track" AS t2 WHERE t2."album_id" = t1."id") END) DESC, t0."id";
-- live_order_by_related
SELECT t0."id", t5."title", t5."id" FROM "public"."track" AS t0 LEFT JOIN "public"."album" AS t1 ON t1."id" = t0."album_id" LEFT JOIN "public"."artist" AS t2 ON t2."id" = t1."artist_id" AND t2."owner_id" = $1::int4 LEFT JOIN LATERAL (SELECT t3.*, TRUE AS "?exists" FROM "public"."album" AS t3 WHERE t3."id" = t0."album_id" LIMIT 1) AS t4 ON TRUE LEFT JOIN "public"."album" AS t5 ON t5."id" = t0."album_id" ORDER BY t2."name" DESC, t4."title" ASC NULLS FIRST, t0."id" LIMIT 20;
-- live_other_schema
SELECT t0."id", ARRAY(SELECT record_send(ROW(t1."body")) FROM "archive"."note" AS t1 WHERE t1."track_id" = t0."id" ORDER BY t1."body") FROM "public"."track" AS t0 ORDER BY t0."id" LIMIT 3;
-- live_redacted
SELECT t0."id", (CASE WHEN t0."id" < $1::int4 THEN t0."seconds" END), upper(t0."title") FROM "public"."track" AS t0 WHERE ((CASE WHEN t0."id" < $1::int4 THEN t0."seconds" END) > $2::int4 OR t0."id" > $3::int4) ORDER BY (CASE WHEN t0."id" < $1::int4 THEN t0."seconds" END) DESC, t0."id";
-- live_rule_of_the_row_before
SELECT t0."name", ARRAY(SELECT record_send(ROW(t1."title")) FROM "public"."album" AS t1 WHERE t1."artist_id" = t0."id" ORDER BY t1."id") FROM "public"."artist" AS t0 WHERE t0."owner_id" = $1::int4 ORDER BY t0."id";
-- live_stringified
SELECT t0."price", t0."plays", t0."seconds" FROM "public"."track" AS t0 ORDER BY t0."id" LIMIT 3;
-- live_where_aggregate
SELECT t0."id", t0."title" FROM "public"."album" AS t0 WHERE ((SELECT count(*) >= $1::int4 AND count(*) < $2::int4 FROM "public"."track" AS t1 WHERE t1."album_id" = t0."id" AND t1."seconds" > $3::int4) OR (SELECT avg(t2."seconds") IS NULL FROM "public"."track" AS t2 WHERE t2."album_id" = t0."id")) ORDER BY t0."id";
-- live_where_lists
SELECT t0."id" FROM "public"."track" AS t0 WHERE t0."id" = ANY($1::int4[]) AND NOT (t0."id" = ANY($2::int4[])) AND t0."tags" @> $3::text[] ORDER BY t0."id";
-- live_where_logic
SELECT t0."id" FROM "public"."track" AS t0 WHERE (t0."seconds" > $1::int4 OR t0."seconds" IS NULL) AND NOT ((t0."id" < $2::int4 OR t0."mood" = $3::"public"."mood")) AND t0."album_id" IS NOT NULL ORDER BY t0."id";
-- live_where_null_safe
SELECT t0."id" FROM "public"."track" AS t0 WHERE ((t0."seconds" = $1::int4 OR t0."seconds" IS NULL AND $1::int4 IS NULL) OR t0."mood" = $2::"public"."mood" OR (t0."album_id" <> t0."genre_id" OR t0."album_id" IS NOT NULL AND t0."genre_id" IS NULL)) ORDER BY t0."id";
-- live_where_related
SELECT t0."id" FROM "public"."track" AS t0 WHERE EXISTS (SELECT 1 FROM "public"."album" AS t1 WHERE t1."id" = t0."album_id" AND t1."meta" ? $1::text AND (t1."meta" #> $2::text[]) = $3::jsonb AND t1."meta"::text LIKE $4::text) ORDER BY t0."id";
-- live_where_related_by_key
SELECT t0."id" FROM "public"."track" AS t0 JOIN "public"."album" AS t1 ON t1."id" = t0."album_id" JOIN "public"."artist" AS t2 ON t2."id" = t1."artist_id" WHERE t1."title" <> $1::text AND t2."id" <= t1."id" AND NOT (EXISTS (SELECT 1 FROM "public"."album" AS t3 WHERE t3."id" = t2."id" AND t3."id" = $2::int4)) ORDER BY t0."id";
-- live_where_root_of_rule
SELECT t0."id" FROM "public"."track" AS t0 WHERE EXISTS (SELECT 1 FROM "archive"."note" AS t1 WHERE t1."track_id" = t0."id") AND EXISTS (SELECT 1 FROM "public"."album" AS t2 WHERE t2."id" = t0."album_id" AND EXISTS (SELECT 1 FROM "archive"."note" AS t3 WHERE t3."track_id" = t2."id")) ORDER BY t0."id";
-- live_where_text
SELECT t0."id" FROM "public"."track" AS t0 WHERE t0."title" ILIKE $1::text AND t0."title" !~ $2::text AND t0."title" SIMILAR TO $3::text ORDER BY t0."id";
-- no_fields
SELECT 1 FROM "public"."genre" AS t0;
-- object_relationship_under_limit
SELECT t0."id", t1."title", t1."id" FROM "public"."track" AS t0 LEFT JOIN "public"."album" AS t1 ON t1."id" = t0."album_id" ORDER BY t0."seconds" DESC, t0."id" LIMIT 5;
-- offset_with_lists
SELECT t0."title", ARRAY(SELECT record_send(ROW(t1."id")) FROM "public"."track" AS t1 WHERE t1."album_id" = t0."id" ORDER BY t1."id") FROM "public"."album" AS t0 ORDER BY t0."id" OFFSET 2;
-- order_by_aggregate
SELECT t0."title", t3."name", t3."id" FROM "public"."album" AS t0 LEFT JOIN "public"."artist" AS t3 ON t3."id" = t0."artist_id" ORDER BY (SELECT count(*) FROM "public"."track" AS t1 WHERE t1."album_id" = t0."id") DESC NULLS LAST, (SELECT avg(t2."seconds") FROM "public"."track" AS t2 WHERE t2."album_id" = t0."id" AND t2."seconds" > $1::int4), t0."id" LIMIT 3;
-- order_by_computed
SELECT "public"."track_label"(t0), t1."title", t1."id" FROM "public"."track" AS t0 LEFT JOIN "public"."album" AS t1 ON t1."id" = t0."album_id" ORDER BY "public"."track_label"(t0) DESC NULLS LAST LIMIT 3;
-- order_by_related
SELECT t0."id", t5."title", t5."id" FROM "public"."track" AS t0 LEFT JOIN "public"."album" AS t1 ON t1."id" = t0."album_id" LEFT JOIN "public"."artist" AS t2 ON t2."id" = t1."artist_id" AND t2."owner_id" = $1::int4 LEFT JOIN LATERAL (SELECT t3.*, TRUE AS "?exists" FROM "public"."album" AS t3 WHERE t3."id" = t0."album_id" LIMIT 1) AS t4 ON TRUE LEFT JOIN "public"."album" AS t5 ON t5."id" = t0."album_id" ORDER BY t2."name" DESC, t4."title" ASC NULLS FIRST, t0."id" LIMIT 20;
-- update_child
UPDATE "public"."album" AS t0 SET "price" = $1::numeric WHERE EXISTS (SELECT 1 FROM "public"."album" AS t1 WHERE t1."id" = t0."parent" AND t1."price" < $2::numeric) RETURNING ((t0."price" < $2::numeric OR EXISTS (SELECT 1 FROM "public"."album" AS t2 WHERE t2."id" = t0."parent" AND t2."price" < $2::numeric)));
-- upsert
INSERT INTO "public"."album" AS t0 ("title") VALUES ($1::text) ON CONFLICT ("title") DO UPDATE SET "title" = EXCLUDED."title", "price" = $2::numeric WHERE t0."price" < $2::numeric RETURNING (CASE WHEN t0.xmax = 0 THEN t0."price" < $2::numeric ELSE EXISTS (SELECT 1 FROM "archive"."note" AS t1 WHERE t1."track_id" = t0."id") END);
