SELECT t0."id", t0."title", t0."released", t0."odd ""name" FROM "public"."album" AS t0 WHERE t0."id" = $1::int4
