SELECT t0."id" FROM "public"."track" AS t0 WHERE t0."id" = ANY($1::int4[]) AND NOT (t0."id" = ANY($2::int4[])) AND t0."tags" @> $3::text[] ORDER BY t0."id"
