SELECT t0."id" FROM "public"."album" AS t0 WHERE t0."id" = $1::int4
