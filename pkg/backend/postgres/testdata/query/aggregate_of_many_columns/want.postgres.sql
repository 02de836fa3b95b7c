SELECT max(t0."id") FROM "public"."track" AS t0
