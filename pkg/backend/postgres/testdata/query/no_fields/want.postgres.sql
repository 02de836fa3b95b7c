SELECT FROM "public"."genre" AS t0
