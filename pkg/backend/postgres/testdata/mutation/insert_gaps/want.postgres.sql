INSERT INTO "public"."album" AS t0 ("title", "price") VALUES ($1::text, DEFAULT), (DEFAULT, $2::numeric)
