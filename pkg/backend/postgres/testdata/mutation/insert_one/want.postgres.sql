INSERT INTO "public"."album" AS t0 ("title", "meta") VALUES ($1::text, NULL::jsonb) RETURNING t0."id", t0."title", t0."price", (t0."price" < $2::numeric)
