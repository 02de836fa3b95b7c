SELECT ARRAY(SELECT record_send(ROW(t0."id")) FROM "public"."track" AS t0 ORDER BY t0."id" LIMIT 2)
