SELECT count(*), ARRAY(SELECT record_send(ROW(t2."id")) FROM "public"."album" AS t2 ORDER BY t2."id" LIMIT 0) FROM (SELECT t0.* FROM "public"."album" AS t0 ORDER BY t0."id" LIMIT 3) AS t1
