SELECT t0."id" FROM "public"."album" AS t0 WHERE t0."title" = ANY($1::text[]) ORDER BY t0."id"
