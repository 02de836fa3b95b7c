DELETE FROM "public"."album" AS t0 WHERE (t0."price" < $1::numeric OR EXISTS (SELECT 1 FROM "archive"."note" AS t1 WHERE t1."track_id" = t0."id"))
