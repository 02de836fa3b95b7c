SELECT t0."id" FROM "public"."track" AS t0 WHERE t0."title" ILIKE $1::text AND t0."title" !~ $2::text AND t0."title" SIMILAR TO $3::text ORDER BY t0."id"
