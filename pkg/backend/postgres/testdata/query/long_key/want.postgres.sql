SELECT t0."id", t0."title" FROM "public"."track" AS t0 ORDER BY t0."id" LIMIT 2
