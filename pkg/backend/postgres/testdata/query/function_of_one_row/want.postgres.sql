SELECT t0."title" FROM "public"."one_album"("wanted" => $1::int4) AS t0 WHERE NOT (t0 IS NULL)
