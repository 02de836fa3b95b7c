SELECT ARRAY(SELECT record_send(ROW(t0."id", t0."title")) FROM "public"."track" AS t0 WHERE t0."id" < $1::int4 ORDER BY t0."id" LIMIT 3)
