SELECT t0."id", t0."title", t0."seconds", t0."price", t0."plays", t0."mood", t0."tags" FROM "public"."track" AS t0 ORDER BY t0."id" LIMIT 7 OFFSET 1
