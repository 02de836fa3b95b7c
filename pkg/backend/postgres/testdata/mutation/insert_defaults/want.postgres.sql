INSERT INTO "public"."album" AS t0 ("title") VALUES (DEFAULT)
