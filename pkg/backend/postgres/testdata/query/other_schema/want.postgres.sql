SELECT t0."id", ARRAY(SELECT record_send(ROW(t1."body")) FROM "archive"."note" AS t1 WHERE t1."track_id" = t0."id" ORDER BY t1."body") FROM "public"."track" AS t0 ORDER BY t0."id" LIMIT 3
