INSERT INTO "public"."album" AS t0 ("title", "tags", "price") SELECT c0, c1::text[], $3::numeric FROM unnest($1::text[], $2::text[]) AS v(c0, c1) RETURNING t0."title"
