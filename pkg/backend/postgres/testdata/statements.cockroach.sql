-- aggregate
SELECT count(*), count(DISTINCT (t0."album_id", t0."genre_id")), count(t0."seconds"), avg(t0."seconds"), sum(t0."plays"), min(t0."mood"), max(t0."price"), stddev(t0."price"), (SELECT coalesce(json_agg(t2."r" ORDER BY t2."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t1."id") AS "r", t1."id" AS "k0" FROM "public"."track" AS t1 ORDER BY t1."id" ASC NULLS LAST) AS t2) FROM "public"."track" AS t0;
-- aggregate_nodes_only
SELECT (SELECT coalesce(json_agg(t1."r" ORDER BY t1."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t0."id") AS "r", t0."id" AS "k0" FROM "public"."track" AS t0 ORDER BY t0."id" ASC NULLS LAST LIMIT 2) AS t1);
-- aggregate_of_nothing
SELECT count(*), count(DISTINCT (t0."album_id", t0."genre_id")), count(t0."seconds"), avg(t0."seconds"), sum(t0."plays"), min(t0."mood"), max(t0."price"), stddev(t0."price"), (SELECT coalesce(json_agg(t2."r" ORDER BY t2."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t1."id") AS "r", t1."id" AS "k0" FROM "public"."track" AS t1 WHERE FALSE ORDER BY t1."id" ASC NULLS LAST) AS t2) FROM "public"."track" AS t0 WHERE FALSE;
-- aggregate_of_slice
SELECT count(*), max(t1."id"), (SELECT coalesce(json_agg(t5."r" ORDER BY t5."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t3."id", t4."title", t4."id") AS "r", t3."id" AS "k0" FROM (SELECT t2.* FROM "public"."track" AS t2 ORDER BY t2."id" ASC NULLS LAST LIMIT 2 OFFSET 1) AS t3 LEFT JOIN "public"."album" AS t4 ON t4."id" = t3."album_id" ORDER BY t3."id" ASC NULLS LAST) AS t5) FROM (SELECT t0.* FROM "public"."track" AS t0 ORDER BY t0."id" ASC NULLS LAST LIMIT 6 OFFSET 1) AS t1;
-- aggregate_relationship
SELECT t0."title", (SELECT json_build_array(count(*), max(t1."title"), (SELECT coalesce(json_agg(t3."r" ORDER BY t3."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t2."id") AS "r", t2."id" AS "k0" FROM "public"."track" AS t2 WHERE t2."album_id" = t0."id" AND t2."seconds" > $1::int4 ORDER BY t2."id" ASC NULLS LAST) AS t3)) FROM "public"."track" AS t1 WHERE t1."album_id" = t0."id" AND t1."seconds" > $1::int4) FROM "public"."album" AS t0 ORDER BY t0."id" ASC NULLS LAST;
-- aggregate_without_nodes
SELECT count(*), (SELECT coalesce(json_agg(t3."r" ORDER BY t3."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t2."id") AS "r", t2."id" AS "k0" FROM "public"."album" AS t2 ORDER BY t2."id" ASC NULLS LAST LIMIT 0) AS t3) FROM (SELECT t0.* FROM "public"."album" AS t0 ORDER BY t0."id" ASC NULLS LAST LIMIT 3) AS t1;
-- all_types
SELECT t0."id", t0."title", t0."seconds", t0."price", t0."plays", t0."mood", t0."tags" FROM "public"."track" AS t0 ORDER BY t0."id" ASC NULLS LAST LIMIT 7 OFFSET 1;
-- array_relationship_of_object
SELECT t1."id", (SELECT coalesce(json_agg(t4."r" ORDER BY t4."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t3."id") AS "r", t3."id" AS "k0" FROM "public"."track" AS t3 WHERE t3."album_id" = t2."id" ORDER BY t3."id" ASC NULLS LAST LIMIT 2) AS t4), t2."id" FROM (SELECT t0.* FROM "public"."track" AS t0 ORDER BY t0."id" ASC NULLS LAST LIMIT 12) AS t1 LEFT JOIN "public"."album" AS t2 ON t2."id" = t1."album_id" ORDER BY t1."id" ASC NULLS LAST;
-- array_relationships
SELECT t0."name", (SELECT coalesce(json_agg(t6."r" ORDER BY t6."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t1."title", t1."released", (SELECT coalesce(json_agg(t5."r" ORDER BY t5."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t3."id", t4."name", t4."id") AS "r", t3."id" AS "k0" FROM (SELECT t2.* FROM "public"."track" AS t2 WHERE t2."album_id" = t1."id" ORDER BY t2."id" ASC NULLS LAST LIMIT least($1::int4, 5)) AS t3 LEFT JOIN "public"."genre" AS t4 ON t4."id" = t3."genre_id" ORDER BY t3."id" ASC NULLS LAST) AS t5)) AS "r", t1."id" AS "k0" FROM "public"."album" AS t1 WHERE t1."artist_id" = t0."id" ORDER BY t1."id" ASC NULLS LAST LIMIT 10) AS t6) FROM "public"."artist" AS t0 ORDER BY t0."id" ASC NULLS LAST;
-- by_keys
SELECT t1."id", (SELECT coalesce(json_agg(t3."r" ORDER BY t3."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t2."title") AS "r", t2."id" AS "k0" FROM "public"."track" AS t2 WHERE t2."id" = t0."id" AND t2."title" = t0."title" ORDER BY t2."id" ASC NULLS LAST LIMIT 2) AS t3) FROM (SELECT * FROM ROWS FROM (json_to_recordset($1::json) AS ("id" int4, "title" text)) WITH ORDINALITY AS "k"("id", "title", "n")) AS t0 LEFT JOIN "public"."album" AS t1 ON t1."id" = t0."id" AND t1."title" = t0."title" ORDER BY t0."n" ASC NULLS LAST;
-- by_keys_without_columns
SELECT t2."id", t2."?exists", (SELECT coalesce(json_agg(t4."r" ORDER BY t4."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t3."title") AS "r", t3."id" AS "k0" FROM "public"."track" AS t3 ORDER BY t3."id" ASC NULLS LAST LIMIT 2) AS t4) FROM (SELECT "n" AS "n" FROM json_array_elements($1::json) WITH ORDINALITY AS "e"("v", "n")) AS t0 LEFT JOIN LATERAL (SELECT t1.*, TRUE AS "?exists" FROM "public"."album" AS t1 LIMIT 1) AS t2 ON TRUE ORDER BY t0."n" ASC NULLS LAST;
-- computed_fields
SELECT t0."id", "public"."album_title"(t0, $1::json, "prefix" => $2::text), "public"."strict_title"(t0), (SELECT coalesce(json_agg(t2."r" ORDER BY t2."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t1."id") AS "r", t1."id" AS "k0" FROM "public"."album_long_tracks"(t0, $3::int4) AS t1 ORDER BY t1."id" ASC NULLS LAST) AS t2) FROM "public"."album" AS t0 ORDER BY t0."id" ASC NULLS LAST LIMIT 3;
-- computed_fields_of_any_object
SELECT t1."id", (CASE WHEN t3."?exists" IS NOT NULL THEN "public"."album_title"(t3."?row", $1::json, "prefix" => $2::text) END), (CASE WHEN t3."?exists" IS NOT NULL THEN "public"."strict_title"(t3."?row") END), CASE WHEN t3."?exists" IS NOT NULL THEN (SELECT coalesce(json_agg(t5."r" ORDER BY t5."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t4."id") AS "r", t4."id" AS "k0" FROM "public"."album_long_tracks"(t3."?row", $3::int4) AS t4 ORDER BY t4."id" ASC NULLS LAST) AS t5) END, t3."?exists" FROM (SELECT t0.* FROM "public"."track" AS t0 ORDER BY t0."id" ASC NULLS LAST LIMIT 11) AS t1 LEFT JOIN LATERAL (SELECT t2.*, TRUE AS "?exists", t2 AS "?row" FROM "public"."album" AS t2 WHERE t2."id" = t1."album_id" LIMIT 1) AS t3 ON TRUE ORDER BY t1."id" ASC NULLS LAST;
-- computed_fields_of_object
SELECT t0."id", (CASE WHEN t1."id" IS NOT NULL THEN "public"."album_title"(t1, $1::json, "prefix" => $2::text) END), (CASE WHEN t1."id" IS NOT NULL THEN "public"."strict_title"(t1) END), CASE WHEN t1."id" IS NOT NULL THEN (SELECT coalesce(json_agg(t3."r" ORDER BY t3."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t2."id") AS "r", t2."id" AS "k0" FROM "public"."album_long_tracks"(t1, $3::int4) AS t2 ORDER BY t2."id" ASC NULLS LAST) AS t3) END, t1."id" FROM "public"."track" AS t0 LEFT JOIN "public"."album" AS t1 ON t1."id" = t0."album_id" ORDER BY t0."id" ASC NULLS LAST;
-- connection_after_keys
SELECT (SELECT coalesce(json_agg(t1."r" ORDER BY t1."k0" DESC NULLS FIRST, t1."k1" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t0."album_id", t0."id", t0."title") AS "r", t0."album_id" AS "k0", t0."id" AS "k1" FROM "public"."track" AS t0 WHERE t0."id" < $1::int4 AND t0."album_id" <= $2::int4 AND (t0."album_id" < $2::int4 OR t0."album_id" = $2::int4 AND t0."id" > $3::int4) ORDER BY t0."album_id" DESC NULLS FIRST, t0."id" ASC NULLS LAST LIMIT 3) AS t1), EXISTS(SELECT 1 FROM "public"."track" AS t2 WHERE t2."id" < $1::int4 AND (t2."album_id" <= $2::int4 AND (t2."album_id" < $2::int4 OR t2."album_id" = $2::int4 AND t2."id" > $3::int4)) IS NOT TRUE);
-- connection_after_null
SELECT (SELECT coalesce(json_agg(t1."r" ORDER BY t1."k0" DESC NULLS FIRST, t1."k1" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t0."album_id", t0."id", t0."title") AS "r", t0."album_id" AS "k0", t0."id" AS "k1" FROM "public"."track" AS t0 WHERE t0."id" < $1::int4 AND (t0."album_id" IS NOT NULL OR t0."album_id" IS NULL AND t0."id" > $2::int4) ORDER BY t0."album_id" DESC NULLS FIRST, t0."id" ASC NULLS LAST) AS t1), EXISTS(SELECT 1 FROM "public"."track" AS t2 WHERE t2."id" < $1::int4 AND ((t2."album_id" IS NOT NULL OR t2."album_id" IS NULL AND t2."id" > $2::int4)) IS NOT TRUE);
-- connection_all
SELECT (SELECT coalesce(json_agg(t1."r" ORDER BY t1."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t0."id", t0."title") AS "r", t0."id" AS "k0" FROM "public"."track" AS t0 WHERE t0."id" < $1::int4 ORDER BY t0."id" ASC NULLS LAST) AS t1);
-- connection_before_null
SELECT (SELECT coalesce(json_agg(t1."r" ORDER BY t1."k0" DESC NULLS FIRST, t1."k1" DESC NULLS FIRST), '[]') FROM (SELECT json_build_array(t0."album_id", t0."id", t0."title") AS "r", t0."album_id" AS "k0", t0."id" AS "k1" FROM "public"."track" AS t0 WHERE t0."id" < $1::int4 AND (t0."album_id" IS NOT NULL OR t0."album_id" IS NULL AND t0."id" < $2::int4) ORDER BY t0."album_id" DESC NULLS FIRST, t0."id" DESC NULLS FIRST LIMIT 3) AS t1), EXISTS(SELECT 1 FROM "public"."track" AS t2 WHERE t2."id" < $1::int4 AND ((t2."album_id" IS NOT NULL OR t2."album_id" IS NULL AND t2."id" < $2::int4)) IS NOT TRUE);
-- connection_by_relationship
SELECT (SELECT coalesce(json_agg(t2."r" ORDER BY t2."k0" ASC NULLS LAST, t2."k1" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t1."title", t0."id", t0."title") AS "r", t1."title" AS "k0", t0."id" AS "k1" FROM "public"."track" AS t0 LEFT JOIN "public"."album" AS t1 ON t1."id" = t0."album_id" WHERE t0."id" < $1::int4 ORDER BY t1."title" ASC NULLS LAST, t0."id" ASC NULLS LAST LIMIT 3) AS t2);
-- connection_distinct
SELECT (SELECT coalesce(json_agg(t2."r" ORDER BY t2."k0" ASC NULLS LAST, t2."k1" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t1."album_id", t1."id", t1."title") AS "r", t1."album_id" AS "k0", t1."id" AS "k1" FROM (SELECT DISTINCT ON (t0."album_id") t0.* FROM "public"."track" AS t0 WHERE t0."id" < $1::int4 ORDER BY t0."album_id" ASC NULLS LAST, t0."id" ASC NULLS LAST) AS t1 WHERE ((t1."album_id" > $2::int4 OR t1."album_id" IS NULL) OR t1."album_id" = $2::int4 AND t1."id" > $2::int4) ORDER BY t1."album_id" ASC NULLS LAST, t1."id" ASC NULLS LAST LIMIT 2) AS t2), EXISTS(SELECT 1 FROM (SELECT DISTINCT ON (t3."album_id") t3.* FROM "public"."track" AS t3 WHERE t3."id" < $1::int4 ORDER BY t3."album_id" ASC NULLS LAST, t3."id" ASC NULLS LAST) AS t4 WHERE (((t4."album_id" > $2::int4 OR t4."album_id" IS NULL) OR t4."album_id" = $2::int4 AND t4."id" > $2::int4)) IS NOT TRUE);
-- connection_first
SELECT (SELECT coalesce(json_agg(t1."r" ORDER BY t1."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t0."id", t0."title") AS "r", t0."id" AS "k0" FROM "public"."track" AS t0 WHERE t0."id" < $1::int4 ORDER BY t0."id" ASC NULLS LAST LIMIT 3) AS t1);
-- connection_joins_what_it_keeps
SELECT (SELECT coalesce(json_agg(t3."r" ORDER BY t3."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t1."id", t1."title", t2."title", t2."id") AS "r", t1."id" AS "k0" FROM (SELECT t0.* FROM "public"."track" AS t0 WHERE t0."id" < $1::int4 ORDER BY t0."id" ASC NULLS LAST LIMIT 3) AS t1 LEFT JOIN "public"."album" AS t2 ON t2."id" = t1."album_id" ORDER BY t1."id" ASC NULLS LAST) AS t3);
-- connection_last_before
SELECT (SELECT coalesce(json_agg(t1."r" ORDER BY t1."k0" DESC NULLS FIRST), '[]') FROM (SELECT json_build_array(t0."id", t0."title") AS "r", t0."id" AS "k0" FROM "public"."track" AS t0 WHERE t0."id" < $1::int4 AND t0."id" < $2::int4 ORDER BY t0."id" DESC NULLS FIRST LIMIT 2) AS t1), EXISTS(SELECT 1 FROM "public"."track" AS t2 WHERE t2."id" < $1::int4 AND (t2."id" < $2::int4) IS NOT TRUE);
-- connection_nested
SELECT t0."title", (SELECT coalesce(json_agg(t2."r" ORDER BY t2."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t1."id", t1."title") AS "r", t1."id" AS "k0" FROM "public"."track" AS t1 WHERE t1."album_id" = t0."id" AND t1."id" < $1::int4 ORDER BY t1."id" ASC NULLS LAST LIMIT 2) AS t2) FROM "public"."album" AS t0 ORDER BY t0."id" ASC NULLS LAST;
-- connection_numbers_as_numbers
SELECT (SELECT coalesce(json_agg(t1."r" ORDER BY t1."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t0."id", t0."title") AS "r", t0."id" AS "k0" FROM "public"."track" AS t0 WHERE t0."id" < $1::int4 ORDER BY t0."id" ASC NULLS LAST) AS t1);
-- distinct_on
SELECT t1."id", t1."album_id", t2."title", t2."id" FROM (SELECT DISTINCT ON (t0."album_id") t0.* FROM "public"."track" AS t0 ORDER BY t0."album_id" ASC NULLS LAST, t0."seconds" DESC NULLS FIRST, t0."id" ASC NULLS LAST LIMIT 4) AS t1 LEFT JOIN "public"."album" AS t2 ON t2."id" = t1."album_id" ORDER BY t1."album_id" ASC NULLS LAST, t1."seconds" DESC NULLS FIRST, t1."id" ASC NULLS LAST;
-- distinct_on_redacted
SELECT DISTINCT ON ((CASE WHEN EXISTS (SELECT 1 FROM "public"."album" AS t1 WHERE t1."id" = t0."album_id" AND t1."id" > $1::int4) THEN t0."seconds" END)) t0."id" FROM "public"."track" AS t0 ORDER BY (CASE WHEN EXISTS (SELECT 1 FROM "public"."album" AS t1 WHERE t1."id" = t0."album_id" AND t1."id" > $1::int4) THEN t0."seconds" END) ASC NULLS LAST, t0."id" ASC NULLS LAST;
-- function
SELECT t1."id", "public"."track_label"(t1."?row"), t2."title", t2."id" FROM (SELECT t0.*, t0 AS "?row" FROM "public"."search_track"($1::text) AS t0 ORDER BY t0."id" ASC NULLS LAST LIMIT 3) AS t1 LEFT JOIN "public"."album" AS t2 ON t2."id" = t1."album_id" ORDER BY t1."id" ASC NULLS LAST;
-- function_aggregate
WITH t1 AS MATERIALIZED (SELECT t0.*, t0 AS "?row" FROM "public"."search_track"($1::text) AS t0) SELECT count(*), (SELECT coalesce(json_agg(t6."r" ORDER BY t6."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array("public"."track_label"(t4."?row"), t5."title", t5."id") AS "r", t4."id" AS "k0" FROM (SELECT t3.* FROM t1 AS t3 ORDER BY t3."id" ASC NULLS LAST LIMIT 2) AS t4 LEFT JOIN "public"."album" AS t5 ON t5."id" = t4."album_id" ORDER BY t4."id" ASC NULLS LAST) AS t6) FROM t1 AS t2;
-- insert_child
WITH "?before" AS MATERIALIZED (SELECT "title" FROM "public"."album" WHERE ("title") IN (($1::text))) INSERT INTO "public"."album" AS t0 ("title") VALUES ($1::text) ON CONFLICT ("title") DO UPDATE SET "title" = EXCLUDED."title" RETURNING (CASE WHEN NOT EXISTS (SELECT 1 FROM "?before" AS t4 WHERE t4."title" = t0."title") THEN EXISTS (SELECT 1 FROM "public"."album" AS t1 WHERE t1."id" = t0."parent" AND t1."price" < $2::numeric) ELSE EXISTS (SELECT 1 FROM "public"."album" AS t2 WHERE t2."id" = t0."parent" AND EXISTS (SELECT 1 FROM "archive"."note" AS t3 WHERE t3."track_id" = t2."id")) END);
-- insert_order
SELECT 'order';
-- live_aggregate
SELECT count(*), count(DISTINCT (t0."album_id", t0."genre_id")), count(t0."seconds"), avg(t0."seconds"), sum(t0."plays"), min(t0."mood"), max(t0."price"), stddev(t0."price"), (SELECT coalesce(json_agg(t2."r" ORDER BY t2."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t1."id") AS "r", t1."id" AS "k0" FROM "public"."track" AS t1 ORDER BY t1."id" ASC NULLS LAST) AS t2) FROM "public"."track" AS t0;
-- live_aggregate_nodes_only
SELECT (SELECT coalesce(json_agg(t1."r" ORDER BY t1."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t0."id") AS "r", t0."id" AS "k0" FROM "public"."track" AS t0 ORDER BY t0."id" ASC NULLS LAST LIMIT 2) AS t1);
-- live_aggregate_of_many_columns
SELECT max(t0."id") FROM "public"."track" AS t0;
-- live_aggregate_of_nothing
SELECT count(*), count(DISTINCT (t0."album_id", t0."genre_id")), count(t0."seconds"), avg(t0."seconds"), sum(t0."plays"), min(t0."mood"), max(t0."price"), stddev(t0."price"), (SELECT coalesce(json_agg(t2."r" ORDER BY t2."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t1."id") AS "r", t1."id" AS "k0" FROM "public"."track" AS t1 WHERE FALSE ORDER BY t1."id" ASC NULLS LAST) AS t2) FROM "public"."track" AS t0 WHERE FALSE;
-- live_aggregate_of_slice
SELECT count(*), max(t1."id"), (SELECT coalesce(json_agg(t5."r" ORDER BY t5."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t3."id", t4."title", t4."id") AS "r", t3."id" AS "k0" FROM (SELECT t2.* FROM "public"."track" AS t2 ORDER BY t2."id" ASC NULLS LAST LIMIT 2 OFFSET 1) AS t3 LEFT JOIN "public"."album" AS t4 ON t4."id" = t3."album_id" ORDER BY t3."id" ASC NULLS LAST) AS t5) FROM (SELECT t0.* FROM "public"."track" AS t0 ORDER BY t0."id" ASC NULLS LAST LIMIT 6 OFFSET 1) AS t1;
-- live_aggregate_relationship
SELECT t0."title", (SELECT json_build_array(count(*), max(t1."title"), (SELECT coalesce(json_agg(t3."r" ORDER BY t3."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t2."id") AS "r", t2."id" AS "k0" FROM "public"."track" AS t2 WHERE t2."album_id" = t0."id" AND t2."seconds" > $1::int4 ORDER BY t2."id" ASC NULLS LAST) AS t3)) FROM "public"."track" AS t1 WHERE t1."album_id" = t0."id" AND t1."seconds" > $1::int4) FROM "public"."album" AS t0 ORDER BY t0."id" ASC NULLS LAST;
-- live_aggregate_stringified
SELECT count(*), count(DISTINCT (t0."album_id", t0."genre_id")), count(t0."seconds"), avg(t0."seconds"), sum(t0."plays"), min(t0."mood"), max(t0."price"), stddev(t0."price") FROM "public"."track" AS t0;
-- live_aggregate_without_nodes
SELECT count(*), (SELECT coalesce(json_agg(t3."r" ORDER BY t3."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t2."id") AS "r", t2."id" AS "k0" FROM "public"."album" AS t2 ORDER BY t2."id" ASC NULLS LAST LIMIT 0) AS t3) FROM (SELECT t0.* FROM "public"."album" AS t0 ORDER BY t0."id" ASC NULLS LAST LIMIT 3) AS t1;
-- live_all_types
SELECT t0."id", t0."title", t0."seconds", t0."price", t0."plays", t0."mood", t0."tags" FROM "public"."track" AS t0 ORDER BY t0."id" ASC NULLS LAST LIMIT 7 OFFSET 1;
-- live_array_relationship_of_object
SELECT t1."id", (SELECT coalesce(json_agg(t4."r" ORDER BY t4."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t3."id") AS "r", t3."id" AS "k0" FROM "public"."track" AS t3 WHERE t3."album_id" = t2."id" ORDER BY t3."id" ASC NULLS LAST LIMIT 2) AS t4), t2."id" FROM (SELECT t0.* FROM "public"."track" AS t0 ORDER BY t0."id" ASC NULLS LAST LIMIT 12) AS t1 LEFT JOIN "public"."album" AS t2 ON t2."id" = t1."album_id" ORDER BY t1."id" ASC NULLS LAST;
-- live_array_relationships
SELECT t0."name", (SELECT coalesce(json_agg(t6."r" ORDER BY t6."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t1."title", t1."released", (SELECT coalesce(json_agg(t5."r" ORDER BY t5."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t3."id", t4."name", t4."id") AS "r", t3."id" AS "k0" FROM (SELECT t2.* FROM "public"."track" AS t2 WHERE t2."album_id" = t1."id" ORDER BY t2."id" ASC NULLS LAST LIMIT least($1::int4, 5)) AS t3 LEFT JOIN "public"."genre" AS t4 ON t4."id" = t3."genre_id" ORDER BY t3."id" ASC NULLS LAST) AS t5)) AS "r", t1."id" AS "k0" FROM "public"."album" AS t1 WHERE t1."artist_id" = t0."id" ORDER BY t1."id" ASC NULLS LAST LIMIT 10) AS t6) FROM "public"."artist" AS t0 ORDER BY t0."id" ASC NULLS LAST;
-- live_by_key
SELECT t0."id", t0."title", t0."released", t0."odd ""name" FROM "public"."album" AS t0 WHERE t0."id" = $1::int4;
-- live_by_key_missing
SELECT t0."id" FROM "public"."album" AS t0 WHERE t0."id" = $1::int4;
-- live_by_keys
SELECT t1."id", (SELECT coalesce(json_agg(t3."r" ORDER BY t3."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t2."title") AS "r", t2."id" AS "k0" FROM "public"."track" AS t2 WHERE t2."id" = t0."id" AND t2."title" = t0."title" ORDER BY t2."id" ASC NULLS LAST LIMIT 2) AS t3) FROM (SELECT * FROM ROWS FROM (json_to_recordset($1::json) AS ("id" int4, "title" text)) WITH ORDINALITY AS "k"("id", "title", "n")) AS t0 LEFT JOIN "public"."album" AS t1 ON t1."id" = t0."id" AND t1."title" = t0."title" ORDER BY t0."n" ASC NULLS LAST;
-- live_by_keys_without_columns
SELECT t2."id", t2."?exists", (SELECT coalesce(json_agg(t4."r" ORDER BY t4."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t3."title") AS "r", t3."id" AS "k0" FROM "public"."track" AS t3 ORDER BY t3."id" ASC NULLS LAST LIMIT 2) AS t4) FROM (SELECT "n" AS "n" FROM json_array_elements($1::json) WITH ORDINALITY AS "e"("v", "n")) AS t0 LEFT JOIN LATERAL (SELECT t1.*, TRUE AS "?exists" FROM "public"."album" AS t1 LIMIT 1) AS t2 ON TRUE ORDER BY t0."n" ASC NULLS LAST;
-- live_computed_fields
SELECT t0."id", "public"."album_title"(t0, $1::json, "prefix" => $2::text), "public"."strict_title"(t0), (SELECT coalesce(json_agg(t2."r" ORDER BY t2."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t1."id") AS "r", t1."id" AS "k0" FROM "public"."album_long_tracks"(t0, $3::int4) AS t1 ORDER BY t1."id" ASC NULLS LAST) AS t2) FROM "public"."album" AS t0 ORDER BY t0."id" ASC NULLS LAST LIMIT 3;
-- live_computed_fields_of_any_object
SELECT t1."id", (CASE WHEN t3."?exists" IS NOT NULL THEN "public"."album_title"(t3."?row", $1::json, "prefix" => $2::text) END), (CASE WHEN t3."?exists" IS NOT NULL THEN "public"."strict_title"(t3."?row") END), CASE WHEN t3."?exists" IS NOT NULL THEN (SELECT coalesce(json_agg(t5."r" ORDER BY t5."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t4."id") AS "r", t4."id" AS "k0" FROM "public"."album_long_tracks"(t3."?row", $3::int4) AS t4 ORDER BY t4."id" ASC NULLS LAST) AS t5) END, t3."?exists" FROM (SELECT t0.* FROM "public"."track" AS t0 ORDER BY t0."id" ASC NULLS LAST LIMIT 11) AS t1 LEFT JOIN LATERAL (SELECT t2.*, TRUE AS "?exists", t2 AS "?row" FROM "public"."album" AS t2 WHERE t2."id" = t1."album_id" LIMIT 1) AS t3 ON TRUE ORDER BY t1."id" ASC NULLS LAST;
-- live_computed_fields_of_object
SELECT t0."id", (CASE WHEN t1."id" IS NOT NULL THEN "public"."album_title"(t1, $1::json, "prefix" => $2::text) END), (CASE WHEN t1."id" IS NOT NULL THEN "public"."strict_title"(t1) END), CASE WHEN t1."id" IS NOT NULL THEN (SELECT coalesce(json_agg(t3."r" ORDER BY t3."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t2."id") AS "r", t2."id" AS "k0" FROM "public"."album_long_tracks"(t1, $3::int4) AS t2 ORDER BY t2."id" ASC NULLS LAST) AS t3) END, t1."id" FROM "public"."track" AS t0 LEFT JOIN "public"."album" AS t1 ON t1."id" = t0."album_id" ORDER BY t0."id" ASC NULLS LAST;
-- live_connection_after_keys
SELECT (SELECT coalesce(json_agg(t1."r" ORDER BY t1."k0" DESC NULLS FIRST, t1."k1" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t0."album_id", t0."id", t0."title") AS "r", t0."album_id" AS "k0", t0."id" AS "k1" FROM "public"."track" AS t0 WHERE t0."id" < $1::int4 AND t0."album_id" <= $2::int4 AND (t0."album_id" < $2::int4 OR t0."album_id" = $2::int4 AND t0."id" > $3::int4) ORDER BY t0."album_id" DESC NULLS FIRST, t0."id" ASC NULLS LAST LIMIT 3) AS t1), EXISTS(SELECT 1 FROM "public"."track" AS t2 WHERE t2."id" < $1::int4 AND (t2."album_id" <= $2::int4 AND (t2."album_id" < $2::int4 OR t2."album_id" = $2::int4 AND t2."id" > $3::int4)) IS NOT TRUE);
-- live_connection_after_null
SELECT (SELECT coalesce(json_agg(t1."r" ORDER BY t1."k0" DESC NULLS FIRST, t1."k1" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t0."album_id", t0."id", t0."title") AS "r", t0."album_id" AS "k0", t0."id" AS "k1" FROM "public"."track" AS t0 WHERE t0."id" < $1::int4 AND (t0."album_id" IS NOT NULL OR t0."album_id" IS NULL AND t0."id" > $2::int4) ORDER BY t0."album_id" DESC NULLS FIRST, t0."id" ASC NULLS LAST) AS t1), EXISTS(SELECT 1 FROM "public"."track" AS t2 WHERE t2."id" < $1::int4 AND ((t2."album_id" IS NOT NULL OR t2."album_id" IS NULL AND t2."id" > $2::int4)) IS NOT TRUE);
-- live_connection_all
SELECT (SELECT coalesce(json_agg(t1."r" ORDER BY t1."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t0."id", t0."title") AS "r", t0."id" AS "k0" FROM "public"."track" AS t0 WHERE t0."id" < $1::int4 ORDER BY t0."id" ASC NULLS LAST) AS t1);
-- live_connection_before_null
SELECT (SELECT coalesce(json_agg(t1."r" ORDER BY t1."k0" DESC NULLS FIRST, t1."k1" DESC NULLS FIRST), '[]') FROM (SELECT json_build_array(t0."album_id", t0."id", t0."title") AS "r", t0."album_id" AS "k0", t0."id" AS "k1" FROM "public"."track" AS t0 WHERE t0."id" < $1::int4 AND (t0."album_id" IS NOT NULL OR t0."album_id" IS NULL AND t0."id" < $2::int4) ORDER BY t0."album_id" DESC NULLS FIRST, t0."id" DESC NULLS FIRST LIMIT 3) AS t1), EXISTS(SELECT 1 FROM "public"."track" AS t2 WHERE t2."id" < $1::int4 AND ((t2."album_id" IS NOT NULL OR t2."album_id" IS NULL AND t2."id" < $2::int4)) IS NOT TRUE);
-- live_connection_by_relationship
SELECT (SELECT coalesce(json_agg(t2."r" ORDER BY t2."k0" ASC NULLS LAST, t2."k1" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t1."title", t0."id", t0."title") AS "r", t1."title" AS "k0", t0."id" AS "k1" FROM "public"."track" AS t0 LEFT JOIN "public"."album" AS t1 ON t1."id" = t0."album_id" WHERE t0."id" < $1::int4 ORDER BY t1."title" ASC NULLS LAST, t0."id" ASC NULLS LAST LIMIT 3) AS t2);
-- live_connection_distinct
SELECT (SELECT coalesce(json_agg(t2."r" ORDER BY t2."k0" ASC NULLS LAST, t2."k1" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t1."album_id", t1."id", t1."title") AS "r", t1."album_id" AS "k0", t1."id" AS "k1" FROM (SELECT DISTINCT ON (t0."album_id") t0.* FROM "public"."track" AS t0 WHERE t0."id" < $1::int4 ORDER BY t0."album_id" ASC NULLS LAST, t0."id" ASC NULLS LAST) AS t1 WHERE ((t1."album_id" > $2::int4 OR t1."album_id" IS NULL) OR t1."album_id" = $2::int4 AND t1."id" > $2::int4) ORDER BY t1."album_id" ASC NULLS LAST, t1."id" ASC NULLS LAST LIMIT 2) AS t2), EXISTS(SELECT 1 FROM (SELECT DISTINCT ON (t3."album_id") t3.* FROM "public"."track" AS t3 WHERE t3."id" < $1::int4 ORDER BY t3."album_id" ASC NULLS LAST, t3."id" ASC NULLS LAST) AS t4 WHERE (((t4."album_id" > $2::int4 OR t4."album_id" IS NULL) OR t4."album_id" = $2::int4 AND t4."id" > $2::int4)) IS NOT TRUE);
-- live_connection_first
SELECT (SELECT coalesce(json_agg(t1."r" ORDER BY t1."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t0."id", t0."title") AS "r", t0."id" AS "k0" FROM "public"."track" AS t0 WHERE t0."id" < $1::int4 ORDER BY t0."id" ASC NULLS LAST LIMIT 3) AS t1);
-- live_connection_joins_what_it_keeps
SELECT (SELECT coalesce(json_agg(t3."r" ORDER BY t3."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t1."id", t1."title", t2."title", t2."id") AS "r", t1."id" AS "k0" FROM (SELECT t0.* FROM "public"."track" AS t0 WHERE t0."id" < $1::int4 ORDER BY t0."id" ASC NULLS LAST LIMIT 3) AS t1 LEFT JOIN "public"."album" AS t2 ON t2."id" = t1."album_id" ORDER BY t1."id" ASC NULLS LAST) AS t3);
-- live_connection_last_before
SELECT (SELECT coalesce(json_agg(t1."r" ORDER BY t1."k0" DESC NULLS FIRST), '[]') FROM (SELECT json_build_array(t0."id", t0."title") AS "r", t0."id" AS "k0" FROM "public"."track" AS t0 WHERE t0."id" < $1::int4 AND t0."id" < $2::int4 ORDER BY t0."id" DESC NULLS FIRST LIMIT 2) AS t1), EXISTS(SELECT 1 FROM "public"."track" AS t2 WHERE t2."id" < $1::int4 AND (t2."id" < $2::int4) IS NOT TRUE);
-- live_connection_nested
SELECT t0."title", (SELECT coalesce(json_agg(t2."r" ORDER BY t2."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t1."id", t1."title") AS "r", t1."id" AS "k0" FROM "public"."track" AS t1 WHERE t1."album_id" = t0."id" AND t1."id" < $1::int4 ORDER BY t1."id" ASC NULLS LAST LIMIT 2) AS t2) FROM "public"."album" AS t0 ORDER BY t0."id" ASC NULLS LAST;
-- live_connection_numbers_as_numbers
SELECT (SELECT coalesce(json_agg(t1."r" ORDER BY t1."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t0."id", t0."title") AS "r", t0."id" AS "k0" FROM "public"."track" AS t0 WHERE t0."id" < $1::int4 ORDER BY t0."id" ASC NULLS LAST) AS t1);
-- live_distinct_on
SELECT t1."id", t1."album_id", t2."title", t2."id" FROM (SELECT DISTINCT ON (t0."album_id") t0.* FROM "public"."track" AS t0 ORDER BY t0."album_id" ASC NULLS LAST, t0."seconds" DESC NULLS FIRST, t0."id" ASC NULLS LAST LIMIT 4) AS t1 LEFT JOIN "public"."album" AS t2 ON t2."id" = t1."album_id" ORDER BY t1."album_id" ASC NULLS LAST, t1."seconds" DESC NULLS FIRST, t1."id" ASC NULLS LAST;
-- live_distinct_on_redacted
SELECT DISTINCT ON ((CASE WHEN EXISTS (SELECT 1 FROM "public"."album" AS t1 WHERE t1."id" = t0."album_id" AND t1."id" > $1::int4) THEN t0."seconds" END)) t0."id" FROM "public"."track" AS t0 ORDER BY (CASE WHEN EXISTS (SELECT 1 FROM "public"."album" AS t1 WHERE t1."id" = t0."album_id" AND t1."id" > $1::int4) THEN t0."seconds" END) ASC NULLS LAST, t0."id" ASC NULLS LAST;
-- live_function
SELECT t1."id", "public"."track_label"(t1."?row"), t2."title", t2."id" FROM (SELECT t0.*, t0 AS "?row" FROM "public"."search_track"($1::text) AS t0 ORDER BY t0."id" ASC NULLS LAST LIMIT 3) AS t1 LEFT JOIN "public"."album" AS t2 ON t2."id" = t1."album_id" ORDER BY t1."id" ASC NULLS LAST;
-- live_function_aggregate
WITH t1 AS MATERIALIZED (SELECT t0.*, t0 AS "?row" FROM "public"."search_track"($1::text) AS t0) SELECT count(*), (SELECT coalesce(json_agg(t6."r" ORDER BY t6."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array("public"."track_label"(t4."?row"), t5."title", t5."id") AS "r", t4."id" AS "k0" FROM (SELECT t3.* FROM t1 AS t3 ORDER BY t3."id" ASC NULLS LAST LIMIT 2) AS t4 LEFT JOIN "public"."album" AS t5 ON t5."id" = t4."album_id" ORDER BY t4."id" ASC NULLS LAST) AS t6) FROM t1 AS t2;
-- live_function_of_no_row
SELECT t0."title" FROM "public"."one_album"("wanted" => $1::int4) AS t0 WHERE NOT (t0 IS NULL);
-- live_function_of_one_row
SELECT t0."title" FROM "public"."one_album"("wanted" => $1::int4) AS t0 WHERE NOT (t0 IS NULL);
-- live_long_key
SELECT t0."id", t0."title" FROM "public"."track" AS t0 ORDER BY t0."id" ASC NULLS LAST LIMIT 2;
-- live_lookup
SELECT t0."id" FROM "public"."album" AS t0 WHERE t0."title" = ANY($1::text[]) ORDER BY t0."id" ASC NULLS LAST;
-- live_lookup_of_nothing
SELECT t0."id" FROM "public"."album" AS t0 WHERE t0."title" = ANY($1::text[]) ORDER BY t0."id" ASC NULLS LAST;
-- live_no_fields
SELECT 1 FROM "public"."genre" AS t0;
-- live_no_rows
SELECT t0."id" FROM "public"."album" AS t0 WHERE FALSE;
-- live_object_relationship_under_limit
SELECT t1."id", t2."title", t2."id" FROM (SELECT t0.* FROM "public"."track" AS t0 ORDER BY t0."seconds" DESC NULLS FIRST, t0."id" ASC NULLS LAST LIMIT 5) AS t1 LEFT JOIN "public"."album" AS t2 ON t2."id" = t1."album_id" ORDER BY t1."seconds" DESC NULLS FIRST, t1."id" ASC NULLS LAST;
-- live_object_relationship_without_key
SELECT t0."id", t2."id", t2."?exists" FROM "public"."track" AS t0 LEFT JOIN LATERAL (SELECT t1.*, TRUE AS "?exists" FROM "public"."track" AS t1 WHERE t1."seconds" = t0."seconds" ORDER BY t1."id" ASC NULLS LAST LIMIT 1) AS t2 ON TRUE ORDER BY t0."id" ASC NULLS LAST;
-- live_object_relationships
SELECT t0."id", t1."title", t2."name", t2."born", t2."id", t1."id", t3."name", t3."id" FROM "public"."track" AS t0 LEFT JOIN "public"."album" AS t1 ON t1."id" = t0."album_id" LEFT JOIN "public"."artist" AS t2 ON t2."id" = t1."artist_id" AND t2."owner_id" = $1::int4 LEFT JOIN "public"."genre" AS t3 ON t3."id" = t0."genre_id" ORDER BY t0."id" ASC NULLS LAST;
-- live_offset_with_lists
SELECT t1."title", (SELECT coalesce(json_agg(t3."r" ORDER BY t3."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t2."id") AS "r", t2."id" AS "k0" FROM "public"."track" AS t2 WHERE t2."album_id" = t1."id" ORDER BY t2."id" ASC NULLS LAST) AS t3) FROM (SELECT t0.* FROM "public"."album" AS t0 ORDER BY t0."id" ASC NULLS LAST OFFSET 2) AS t1 ORDER BY t1."id" ASC NULLS LAST;
-- live_order_by_aggregate
SELECT t3."title", t4."name", t4."id" FROM (SELECT t0.*, (SELECT count(*) FROM "public"."track" AS t1 WHERE t1."album_id" = t0."id") AS "?1", (SELECT avg(t2."seconds") FROM "public"."track" AS t2 WHERE t2."album_id" = t0."id" AND t2."seconds" > $1::int4) AS "?2" FROM "public"."album" AS t0 ORDER BY (SELECT count(*) FROM "public"."track" AS t1 WHERE t1."album_id" = t0."id") DESC NULLS LAST, (SELECT avg(t2."seconds") FROM "public"."track" AS t2 WHERE t2."album_id" = t0."id" AND t2."seconds" > $1::int4) ASC NULLS LAST, t0."id" ASC NULLS LAST LIMIT 3) AS t3 LEFT JOIN "public"."artist" AS t4 ON t4."id" = t3."artist_id" ORDER BY t3."?1" DESC NULLS LAST, t3."?2" ASC NULLS LAST, t3."id" ASC NULLS LAST;
-- live_order_by_computed
SELECT "public"."track_label"(t1."?row"), t2."title", t2."id" FROM (SELECT t0.*, "public"."track_label"(t0) AS "?1", t0 AS "?row" FROM "public"."track" AS t0 ORDER BY "public"."track_label"(t0) DESC NULLS LAST LIMIT 3) AS t1 LEFT JOIN "public"."album" AS t2 ON t2."id" = t1."album_id" ORDER BY t1."?1" DESC NULLS LAST;
-- live_order_by_count_of_related
SELECT t0."id" FROM "public"."track" AS t0 LEFT JOIN "public"."album" AS t1 ON t1."id" = t0."album_id" ORDER BY (CASE WHEN t1."id" IS NOT NULL THEN (SELECT count(*) FROM "public"."track" AS t2 WHERE t2."album_id" = t1."id") END) DESC NULLS FIRST, t0."id" ASC NULLS LAST;
-- live_order_by_related
SELECT t5."id", t6."title", t6."id" FROM (SELECT t0.*, t2."name" AS "?1", t4."title" AS "?2" FROM "public"."track" AS t0 LEFT JOIN "public"."album" AS t1 ON t1."id" = t0."album_id" LEFT JOIN "public"."artist" AS t2 ON t2."id" = t1."artist_id" AND t2."owner_id" = $1::int4 LEFT JOIN LATERAL (SELECT t3.*, TRUE AS "?exists" FROM "public"."album" AS t3 WHERE t3."id" = t0."album_id" LIMIT 1) AS t4 ON TRUE ORDER BY t2."name" DESC NULLS FIRST, t4."title" ASC NULLS FIRST, t0."id" ASC NULLS LAST LIMIT 20) AS t5 LEFT JOIN "public"."album" AS t6 ON t6."id" = t5."album_id" ORDER BY t5."?1" DESC NULLS FIRST, t5."?2" ASC NULLS FIRST, t5."id" ASC NULLS LAST;
-- live_other_schema
SELECT t0."id", (SELECT coalesce(json_agg(t2."r" ORDER BY t2."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t1."body") AS "r", t1."body" AS "k0" FROM "archive"."note" AS t1 WHERE t1."track_id" = t0."id" ORDER BY t1."body" ASC NULLS LAST) AS t2) FROM "public"."track" AS t0 ORDER BY t0."id" ASC NULLS LAST LIMIT 3;
-- live_redacted
SELECT t0."id", (CASE WHEN t0."id" < $1::int4 THEN t0."seconds" END), upper(t0."title") FROM "public"."track" AS t0 WHERE ((CASE WHEN t0."id" < $1::int4 THEN t0."seconds" END) > $2::int4 OR t0."id" > $3::int4) ORDER BY (CASE WHEN t0."id" < $1::int4 THEN t0."seconds" END) DESC NULLS FIRST, t0."id" ASC NULLS LAST;
-- live_rule_of_the_row_before
SELECT t0."name", (SELECT coalesce(json_agg(t2."r" ORDER BY t2."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t1."title") AS "r", t1."id" AS "k0" FROM "public"."album" AS t1 WHERE t1."artist_id" = t0."id" ORDER BY t1."id" ASC NULLS LAST) AS t2) FROM "public"."artist" AS t0 WHERE t0."owner_id" = $1::int4 ORDER BY t0."id" ASC NULLS LAST;
-- live_stringified
SELECT t0."price", t0."plays", t0."seconds" FROM "public"."track" AS t0 ORDER BY t0."id" ASC NULLS LAST LIMIT 3;
-- live_where_aggregate
SELECT t0."id", t0."title" FROM "public"."album" AS t0 WHERE ((SELECT count(*) >= $1::int4 AND count(*) < $2::int4 FROM "public"."track" AS t1 WHERE t1."album_id" = t0."id" AND t1."seconds" > $3::int4) OR (SELECT avg(t2."seconds") IS NULL FROM "public"."track" AS t2 WHERE t2."album_id" = t0."id")) ORDER BY t0."id" ASC NULLS LAST;
-- live_where_lists
SELECT t0."id" FROM "public"."track" AS t0 WHERE t0."id" = ANY($1::int4[]) AND NOT (t0."id" = ANY($2::int4[])) AND t0."tags" @> $3::text[] ORDER BY t0."id" ASC NULLS LAST;
-- live_where_logic
SELECT t0."id" FROM "public"."track" AS t0 WHERE (t0."seconds" > $1::int4 OR t0."seconds" IS NULL) AND NOT ((t0."id" < $2::int4 OR t0."mood" = $3::"public"."mood")) AND t0."album_id" IS NOT NULL ORDER BY t0."id" ASC NULLS LAST;
-- live_where_null_safe
SELECT t0."id" FROM "public"."track" AS t0 WHERE ((t0."seconds" = $1::int4 OR t0."seconds" IS NULL AND $1::int4 IS NULL) OR t0."mood" = $2::"public"."mood" OR (t0."album_id" <> t0."genre_id" OR t0."album_id" IS NOT NULL AND t0."genre_id" IS NULL)) ORDER BY t0."id" ASC NULLS LAST;
-- live_where_related
SELECT t0."id" FROM "public"."track" AS t0 WHERE EXISTS (SELECT 1 FROM "public"."album" AS t1 WHERE t1."id" = t0."album_id" AND t1."meta" ? $1::text AND (t1."meta" #> $2::text[]) = $3::jsonb AND t1."meta"::text LIKE $4::text) ORDER BY t0."id" ASC NULLS LAST;
-- live_where_related_by_key
SELECT t0."id" FROM "public"."track" AS t0 JOIN "public"."album" AS t1 ON t1."id" = t0."album_id" JOIN "public"."artist" AS t2 ON t2."id" = t1."artist_id" WHERE t1."title" <> $1::text AND t2."id" <= t1."id" AND NOT (EXISTS (SELECT 1 FROM "public"."album" AS t3 WHERE t3."id" = t2."id" AND t3."id" = $2::int4)) ORDER BY t0."id" ASC NULLS LAST;
-- live_where_root_of_rule
SELECT t0."id" FROM "public"."track" AS t0 WHERE EXISTS (SELECT 1 FROM "archive"."note" AS t1 WHERE t1."track_id" = t0."id") AND EXISTS (SELECT 1 FROM "public"."album" AS t2 WHERE t2."id" = t0."album_id" AND EXISTS (SELECT 1 FROM "archive"."note" AS t3 WHERE t3."track_id" = t2."id")) ORDER BY t0."id" ASC NULLS LAST;
-- live_where_text
SELECT t0."id" FROM "public"."track" AS t0 WHERE t0."title" ILIKE $1::text AND t0."title" !~ $2::text AND t0."title" SIMILAR TO $3::text ORDER BY t0."id" ASC NULLS LAST;
-- long_key
SELECT t0."id", t0."title" FROM "public"."track" AS t0 ORDER BY t0."id" ASC NULLS LAST LIMIT 2;
-- lookup
SELECT t0."id" FROM "public"."album" AS t0 WHERE t0."title" = ANY($1::text[]) ORDER BY t0."id" ASC NULLS LAST;
-- lookup_of_nothing
SELECT t0."id" FROM "public"."album" AS t0 WHERE t0."title" = ANY($1::text[]) ORDER BY t0."id" ASC NULLS LAST;
-- no_fields
SELECT 1 FROM "public"."genre" AS t0;
-- object_relationship_under_limit
SELECT t1."id", t2."title", t2."id" FROM (SELECT t0.* FROM "public"."track" AS t0 ORDER BY t0."seconds" DESC NULLS FIRST, t0."id" ASC NULLS LAST LIMIT 5) AS t1 LEFT JOIN "public"."album" AS t2 ON t2."id" = t1."album_id" ORDER BY t1."seconds" DESC NULLS FIRST, t1."id" ASC NULLS LAST;
-- object_relationship_without_key
SELECT t0."id", t2."id", t2."?exists" FROM "public"."track" AS t0 LEFT JOIN LATERAL (SELECT t1.*, TRUE AS "?exists" FROM "public"."track" AS t1 WHERE t1."seconds" = t0."seconds" ORDER BY t1."id" ASC NULLS LAST LIMIT 1) AS t2 ON TRUE ORDER BY t0."id" ASC NULLS LAST;
-- object_relationships
SELECT t0."id", t1."title", t2."name", t2."born", t2."id", t1."id", t3."name", t3."id" FROM "public"."track" AS t0 LEFT JOIN "public"."album" AS t1 ON t1."id" = t0."album_id" LEFT JOIN "public"."artist" AS t2 ON t2."id" = t1."artist_id" AND t2."owner_id" = $1::int4 LEFT JOIN "public"."genre" AS t3 ON t3."id" = t0."genre_id" ORDER BY t0."id" ASC NULLS LAST;
-- offset_with_lists
SELECT t1."title", (SELECT coalesce(json_agg(t3."r" ORDER BY t3."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t2."id") AS "r", t2."id" AS "k0" FROM "public"."track" AS t2 WHERE t2."album_id" = t1."id" ORDER BY t2."id" ASC NULLS LAST) AS t3) FROM (SELECT t0.* FROM "public"."album" AS t0 ORDER BY t0."id" ASC NULLS LAST OFFSET 2) AS t1 ORDER BY t1."id" ASC NULLS LAST;
-- order_by_aggregate
SELECT t3."title", t4."name", t4."id" FROM (SELECT t0.*, (SELECT count(*) FROM "public"."track" AS t1 WHERE t1."album_id" = t0."id") AS "?1", (SELECT avg(t2."seconds") FROM "public"."track" AS t2 WHERE t2."album_id" = t0."id" AND t2."seconds" > $1::int4) AS "?2" FROM "public"."album" AS t0 ORDER BY (SELECT count(*) FROM "public"."track" AS t1 WHERE t1."album_id" = t0."id") DESC NULLS LAST, (SELECT avg(t2."seconds") FROM "public"."track" AS t2 WHERE t2."album_id" = t0."id" AND t2."seconds" > $1::int4) ASC NULLS LAST, t0."id" ASC NULLS LAST LIMIT 3) AS t3 LEFT JOIN "public"."artist" AS t4 ON t4."id" = t3."artist_id" ORDER BY t3."?1" DESC NULLS LAST, t3."?2" ASC NULLS LAST, t3."id" ASC NULLS LAST;
-- order_by_count_of_related
SELECT t0."id" FROM "public"."track" AS t0 LEFT JOIN "public"."album" AS t1 ON t1."id" = t0."album_id" ORDER BY (CASE WHEN t1."id" IS NOT NULL THEN (SELECT count(*) FROM "public"."track" AS t2 WHERE t2."album_id" = t1."id") END) DESC NULLS FIRST, t0."id" ASC NULLS LAST;
-- order_by_related
SELECT t5."id", t6."title", t6."id" FROM (SELECT t0.*, t2."name" AS "?1", t4."title" AS "?2" FROM "public"."track" AS t0 LEFT JOIN "public"."album" AS t1 ON t1."id" = t0."album_id" LEFT JOIN "public"."artist" AS t2 ON t2."id" = t1."artist_id" AND t2."owner_id" = $1::int4 LEFT JOIN LATERAL (SELECT t3.*, TRUE AS "?exists" FROM "public"."album" AS t3 WHERE t3."id" = t0."album_id" LIMIT 1) AS t4 ON TRUE ORDER BY t2."name" DESC NULLS FIRST, t4."title" ASC NULLS FIRST, t0."id" ASC NULLS LAST LIMIT 20) AS t5 LEFT JOIN "public"."album" AS t6 ON t6."id" = t5."album_id" ORDER BY t5."?1" DESC NULLS FIRST, t5."?2" ASC NULLS FIRST, t5."id" ASC NULLS LAST;
-- other_schema
SELECT t0."id", (SELECT coalesce(json_agg(t2."r" ORDER BY t2."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t1."body") AS "r", t1."body" AS "k0" FROM "archive"."note" AS t1 WHERE t1."track_id" = t0."id" ORDER BY t1."body" ASC NULLS LAST) AS t2) FROM "public"."track" AS t0 ORDER BY t0."id" ASC NULLS LAST LIMIT 3;
-- redacted
SELECT t0."id", (CASE WHEN t0."id" < $1::int4 THEN t0."seconds" END), upper(t0."title") FROM "public"."track" AS t0 WHERE ((CASE WHEN t0."id" < $1::int4 THEN t0."seconds" END) > $2::int4 OR t0."id" > $3::int4) ORDER BY (CASE WHEN t0."id" < $1::int4 THEN t0."seconds" END) DESC NULLS FIRST, t0."id" ASC NULLS LAST;
-- rule_of_the_row_before
SELECT t0."name", (SELECT coalesce(json_agg(t2."r" ORDER BY t2."k0" ASC NULLS LAST), '[]') FROM (SELECT json_build_array(t1."title") AS "r", t1."id" AS "k0" FROM "public"."album" AS t1 WHERE t1."artist_id" = t0."id" ORDER BY t1."id" ASC NULLS LAST) AS t2) FROM "public"."artist" AS t0 WHERE t0."owner_id" = $1::int4 ORDER BY t0."id" ASC NULLS LAST;
-- stringified
SELECT t0."price", t0."plays", t0."seconds" FROM "public"."track" AS t0 ORDER BY t0."id" ASC NULLS LAST LIMIT 3;
-- update_child
UPDATE "public"."album" AS t0 SET "price" = $1::numeric WHERE EXISTS (SELECT 1 FROM "public"."album" AS t1 WHERE t1."id" = t0."parent" AND t1."price" < $2::numeric) RETURNING ((t0."price" < $2::numeric OR EXISTS (SELECT 1 FROM "public"."album" AS t2 WHERE t2."id" = t0."parent" AND t2."price" < $2::numeric)));
-- upsert
WITH "?before" AS MATERIALIZED (SELECT "title" FROM "public"."album" WHERE ("title") IN (($1::text))) INSERT INTO "public"."album" AS t0 ("title") VALUES ($1::text) ON CONFLICT ("title") DO UPDATE SET "title" = EXCLUDED."title", "price" = $2::numeric WHERE t0."price" < $2::numeric RETURNING (CASE WHEN NOT EXISTS (SELECT 1 FROM "?before" AS t2 WHERE t2."title" = t0."title") THEN t0."price" < $2::numeric ELSE EXISTS (SELECT 1 FROM "archive"."note" AS t1 WHERE t1."track_id" = t0."id") END);
-- where_aggregate
SELECT t0."id", t0."title" FROM "public"."album" AS t0 WHERE ((SELECT count(*) >= $1::int4 AND count(*) < $2::int4 FROM "public"."track" AS t1 WHERE t1."album_id" = t0."id" AND t1."seconds" > $3::int4) OR (SELECT avg(t2."seconds") IS NULL FROM "public"."track" AS t2 WHERE t2."album_id" = t0."id")) ORDER BY t0."id" ASC NULLS LAST;
-- where_lists
SELECT t0."id" FROM "public"."track" AS t0 WHERE t0."id" = ANY($1::int4[]) AND NOT (t0."id" = ANY($2::int4[])) AND t0."tags" @> $3::text[] ORDER BY t0."id" ASC NULLS LAST;
-- where_logic
SELECT t0."id" FROM "public"."track" AS t0 WHERE (t0."seconds" > $1::int4 OR t0."seconds" IS NULL) AND NOT ((t0."id" < $2::int4 OR t0."mood" = $3::"public"."mood")) AND t0."album_id" IS NOT NULL ORDER BY t0."id" ASC NULLS LAST;
-- where_null_safe
SELECT t0."id" FROM "public"."track" AS t0 WHERE ((t0."seconds" = $1::int4 OR t0."seconds" IS NULL AND $1::int4 IS NULL) OR t0."mood" = $2::"public"."mood" OR (t0."album_id" <> t0."genre_id" OR t0."album_id" IS NOT NULL AND t0."genre_id" IS NULL)) ORDER BY t0."id" ASC NULLS LAST;
-- where_related
SELECT t0."id" FROM "public"."track" AS t0 WHERE EXISTS (SELECT 1 FROM "public"."album" AS t1 WHERE t1."id" = t0."album_id" AND t1."meta" ? $1::text AND (t1."meta" #> $2::text[]) = $3::jsonb AND t1."meta"::text LIKE $4::text) ORDER BY t0."id" ASC NULLS LAST;
-- where_related_by_key
SELECT t0."id" FROM "public"."track" AS t0 JOIN "public"."album" AS t1 ON t1."id" = t0."album_id" JOIN "public"."artist" AS t2 ON t2."id" = t1."artist_id" WHERE t1."title" <> $1::text AND t2."id" <= t1."id" AND NOT (EXISTS (SELECT 1 FROM "public"."album" AS t3 WHERE t3."id" = t2."id" AND t3."id" = $2::int4)) ORDER BY t0."id" ASC NULLS LAST;
-- where_root_of_rule
SELECT t0."id" FROM "public"."track" AS t0 WHERE EXISTS (SELECT 1 FROM "archive"."note" AS t1 WHERE t1."track_id" = t0."id") AND EXISTS (SELECT 1 FROM "public"."album" AS t2 WHERE t2."id" = t0."album_id" AND EXISTS (SELECT 1 FROM "archive"."note" AS t3 WHERE t3."track_id" = t2."id")) ORDER BY t0."id" ASC NULLS LAST;
-- where_text
SELECT t0."id" FROM "public"."track" AS t0 WHERE t0."title" ILIKE $1::text AND t0."title" !~ $2::text AND t0."title" SIMILAR TO $3::text ORDER BY t0."id" ASC NULLS LAST;
