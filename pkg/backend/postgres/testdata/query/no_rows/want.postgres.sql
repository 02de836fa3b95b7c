SELECT t0."id" FROM "public"."album" AS t0 WHERE FALSE
