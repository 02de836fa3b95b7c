SELECT t0."price", t0."plays", t0."seconds" FROM "public"."track" AS t0 ORDER BY t0."id" LIMIT 3
