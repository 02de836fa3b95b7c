-- a list
-- ()
SELECT t0.`id` AS c0, t0.`name` AS c1 FROM `hub`.`author` AS t0 ORDER BY t0.`id`;

-- by key
-- (p1 INT64)
SELECT t0.`name` AS c0 FROM `hub`.`author` AS t0 WHERE t0.`id` = @p1;

-- all types
-- ()
SELECT t0.`id` AS c0, t0.`big` AS c1, t0.`n` AS c2, t0.`f` AS c3, t0.`is_published` AS c4, t0.`d` AS c5, t0.`t` AS c6, t0.`dt` AS c7, FORMAT_TIMESTAMP('%Y-%m-%dT%H:%M:%E*SZ', t0.`created_at`) AS c8, t0.`b` AS c9, ST_ASTEXT(t0.`place`) AS c10, TO_JSON_STRING(t0.`doc`) AS c11, t0.`tags` AS c12, ARRAY(SELECT FORMAT_TIMESTAMP('%Y-%m-%dT%H:%M:%E*SZ', e) FROM UNNEST(t0.`seen`) AS e WITH OFFSET AS i ORDER BY i) AS c13 FROM `hub`.`article` AS t0;

-- a page
-- ()
SELECT t0.`id` AS c0 FROM `hub`.`author` AS t0 ORDER BY t0.`name` DESC NULLS FIRST LIMIT 5 OFFSET 2;

-- an offset alone
-- ()
SELECT t0.`id` AS c0 FROM `hub`.`author` AS t0 LIMIT 9223372036854775807 OFFSET 2;

-- a limit that is a variable
-- (p1 INT64)
SELECT c0 FROM (SELECT * EXCEPT (_engine_n) FROM (SELECT *, ROW_NUMBER() OVER (ORDER BY _engine_o0) AS _engine_n FROM (SELECT t0.`id` AS c0, t0.`id` AS _engine_o0 FROM `hub`.`author` AS t0)) WHERE _engine_n <= IFNULL(LEAST(IFNULL(@p1, 10), 10), 9223372036854775807)) ORDER BY _engine_o0;

-- conditions
-- (p1 STRING, p2 TIMESTAMP, p3 ARRAY<INT64>, p4 STRING, p5 STRING, p6 FLOAT64, p7 BOOL)
SELECT t0.`id` AS c0 FROM `hub`.`article` AS t0 WHERE (t0.`title` LIKE @p1 OR t0.`created_at` > @p2 OR t0.`id` IN UNNEST(@p3) OR ST_CONTAINS(t0.`place`, ST_GEOGFROMTEXT(@p4)) OR ST_EQUALS(t0.`place`, ST_GEOGFROMGEOJSON(@p5)) OR ST_DWITHIN(t0.`place`, ST_GEOGFROMTEXT(@p4), @p6, @p7) OR NOT (t0.`title` IS NULL));

-- related rows exist
-- (p1 BOOL)
SELECT t0.`id` AS c0 FROM `hub`.`author` AS t0 WHERE EXISTS (SELECT 1 AS c0 FROM `hub`.`article` AS t1 WHERE t1.`author_id` = t0.`id` AND t1.`is_published` = @p1);

-- a number of related rows
-- (p1 INT64)
SELECT t0.`id` AS c0 FROM `hub`.`author` AS t0 WHERE (SELECT COUNT(*) > @p1 FROM `hub`.`article` AS t1 WHERE t1.`author_id` = t0.`id`);

-- related rows
-- ()
SELECT t0.`id` AS c0, t4.v AS c1 FROM `hub`.`author` AS t0 LEFT JOIN (SELECT _engine_k0, ARRAY_AGG(STRUCT(c0 AS c0, c1 AS c1) ORDER BY _engine_o0 IS NULL DESC, _engine_o0 DESC) AS v FROM (SELECT t1.`title` AS c0, t3.v AS c1, t1.`author_id` AS _engine_k0, t1.`title` AS _engine_o0 FROM `hub`.`article` AS t1 LEFT JOIN (SELECT _engine_k0, ARRAY_AGG(STRUCT(c0 AS c0) ORDER BY _engine_o0) AS v FROM (SELECT t2.`article_id` AS c0, t2.`article_id` AS _engine_k0, t2.`article_id` AS _engine_o0 FROM `hub`.`citation` AS t2) GROUP BY _engine_k0) AS t3 ON t3._engine_k0 = t1.`id`) GROUP BY _engine_k0) AS t4 ON t4._engine_k0 = t0.`id` ORDER BY t0.`id`;

-- a page of related rows
-- (p1 INT64)
SELECT t0.`id` AS c0, t2.v AS c1 FROM `hub`.`author` AS t0 LEFT JOIN (SELECT _engine_k0, ARRAY_AGG(STRUCT(c0 AS c0) ORDER BY _engine_o0) AS v FROM (SELECT * EXCEPT (_engine_n) FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY _engine_k0 ORDER BY _engine_o0) AS _engine_n FROM (SELECT t1.`title` AS c0, t1.`author_id` AS _engine_k0, t1.`title` AS _engine_o0 FROM `hub`.`article` AS t1)) WHERE _engine_n > IFNULL(@p1, 0) AND _engine_n - IFNULL(@p1, 0) <= 2) GROUP BY _engine_k0) AS t2 ON t2._engine_k0 = t0.`id`;

-- a related row
-- ()
SELECT t0.`id` AS c0, t2.v AS c1 FROM `hub`.`article` AS t0 LEFT JOIN (SELECT _engine_k0, ARRAY_AGG(STRUCT(c0 AS c0) LIMIT 1)[SAFE_OFFSET(0)] AS v FROM (SELECT t1.`name` AS c0, t1.`id` AS _engine_k0 FROM `hub`.`author` AS t1) GROUP BY _engine_k0) AS t2 ON t2._engine_k0 = t0.`author_id` LIMIT 3;

-- a related row by a key
-- ()
SELECT t0.`id` AS c0, t1.`name` AS c1, t3.v AS c2, t1.`id` AS c3 FROM `hub`.`article` AS t0 LEFT JOIN `hub`.`author` AS t1 ON t1.`id` = t0.`author_id` LEFT JOIN (SELECT _engine_k0, ARRAY_AGG(STRUCT(c0 AS c0)) AS v FROM (SELECT t2.`id` AS c0, t2.`author_id` AS _engine_k0 FROM `hub`.`article` AS t2) GROUP BY _engine_k0) AS t3 ON t3._engine_k0 = t1.`id`;

-- the second page of related rows
-- ()
SELECT t0.`id` AS c0, (SELECT ARRAY_AGG(e ORDER BY i) FROM UNNEST(t2.v) AS e WITH OFFSET AS i WHERE i >= 2 AND i - 2 < 2) AS c1 FROM `hub`.`author` AS t0 LEFT JOIN (SELECT _engine_k0, ARRAY_AGG(STRUCT(c0 AS c0) ORDER BY _engine_o0 LIMIT 4) AS v FROM (SELECT t1.`title` AS c0, t1.`author_id` AS _engine_k0, t1.`title` AS _engine_o0 FROM `hub`.`article` AS t1) GROUP BY _engine_k0) AS t2 ON t2._engine_k0 = t0.`id`;

-- rows related by a number with a point
-- ()
SELECT t0.`id` AS c0, t2.v AS c1 FROM `hub`.`article` AS t0 LEFT JOIN (SELECT _engine_k0, ARRAY_AGG(STRUCT(c0 AS c0) ORDER BY _engine_o0 LIMIT 2) AS v FROM (SELECT t1.`title` AS c0, t1.`f` AS _engine_k0, t1.`title` AS _engine_o0 FROM `hub`.`article` AS t1) GROUP BY _engine_k0) AS t2 ON t2._engine_k0 = t0.`f`;

-- a page of distinct rows
-- ()
SELECT c0 FROM (SELECT * EXCEPT (_engine_d) FROM (SELECT t0.`id` AS c0, t0.`author_id` AS _engine_o0, t0.`is_published` AS _engine_o1, t0.`created_at` AS _engine_o2, ROW_NUMBER() OVER (PARTITION BY t0.`author_id`, t0.`is_published` ORDER BY t0.`author_id`, t0.`is_published`, t0.`created_at` DESC NULLS FIRST) AS _engine_d FROM `hub`.`article` AS t0) WHERE _engine_d = 1) ORDER BY _engine_o0, _engine_o1, _engine_o2 DESC NULLS FIRST LIMIT 5 OFFSET 1;

-- distinct
-- ()
SELECT c0, c1 FROM (SELECT * EXCEPT (_engine_d) FROM (SELECT t0.`id` AS c0, t2.v AS c1, t0.`author_id` AS _engine_o0, t0.`is_published` AS _engine_o1, t0.`created_at` AS _engine_o2, ROW_NUMBER() OVER (PARTITION BY t0.`author_id`, t0.`is_published` ORDER BY t0.`author_id`, t0.`is_published`, t0.`created_at` DESC NULLS FIRST) AS _engine_d FROM `hub`.`article` AS t0 LEFT JOIN (SELECT _engine_k0, ARRAY_AGG(STRUCT(c0 AS c0) LIMIT 1)[SAFE_OFFSET(0)] AS v FROM (SELECT t1.`name` AS c0, t1.`id` AS _engine_k0 FROM `hub`.`author` AS t1) GROUP BY _engine_k0) AS t2 ON t2._engine_k0 = t0.`author_id`) WHERE _engine_d = 1) ORDER BY _engine_o0, _engine_o1, _engine_o2 DESC NULLS FIRST;

-- distinct related rows
-- ()
SELECT t0.`id` AS c0, t2.v AS c1 FROM `hub`.`author` AS t0 LEFT JOIN (SELECT _engine_k0, ARRAY_AGG(STRUCT(c0 AS c0) ORDER BY _engine_o0, _engine_o1, _engine_o2 IS NULL DESC, _engine_o2 DESC) AS v FROM (SELECT * EXCEPT (_engine_d) FROM (SELECT t1.`title` AS c0, t1.`author_id` AS _engine_k0, t1.`author_id` AS _engine_o0, t1.`is_published` AS _engine_o1, t1.`created_at` AS _engine_o2, ROW_NUMBER() OVER (PARTITION BY t1.`author_id`, t1.`author_id`, t1.`is_published` ORDER BY t1.`author_id`, t1.`is_published`, t1.`created_at` DESC NULLS FIRST) AS _engine_d FROM `hub`.`article` AS t1) WHERE _engine_d = 1) GROUP BY _engine_k0) AS t2 ON t2._engine_k0 = t0.`id`;

-- distinct numbers
-- ()
SELECT c0 FROM (SELECT * EXCEPT (_engine_d) FROM (SELECT t0.`id` AS c0, t0.`f` AS _engine_o0, t0.`id` AS _engine_o1, ROW_NUMBER() OVER (PARTITION BY CAST(t0.`f` + 0 AS STRING), t0.`id` ORDER BY t0.`f`, t0.`id`) AS _engine_d FROM `hub`.`article` AS t0) WHERE _engine_d = 1) ORDER BY _engine_o0, _engine_o1;

-- aggregates
-- (p1 INT64)
SELECT COUNT(*) AS c0, sum(t0.`id`) AS c1, avg(t0.`id`) AS c2, (SELECT ARRAY_AGG(STRUCT(c0 AS c0)) FROM (SELECT t1.`id` AS c0 FROM `hub`.`article` AS t1 WHERE t1.`id` > @p1)) AS c3 FROM `hub`.`article` AS t0 WHERE t0.`id` > @p1;

-- aggregates of a page
-- ()
SELECT COUNT(*) AS c0, max(t1.`id`) AS c1, (SELECT ARRAY_AGG(STRUCT(c0 AS c0) ORDER BY _engine_o0 LIMIT 2) FROM (SELECT t2.`id` AS c0, t2.`id` AS _engine_o0 FROM `hub`.`article` AS t2)) AS c2 FROM (SELECT t0.* FROM `hub`.`article` AS t0 ORDER BY t0.`id` LIMIT 2) AS t1;

-- aggregates of related rows
-- ()
SELECT t0.`id` AS c0, STRUCT(t3.v AS c0, IFNULL(t4.c1, 0) AS c1, t4.c2 AS c2) AS c1 FROM `hub`.`author` AS t0 LEFT JOIN (SELECT _engine_k0, ARRAY_AGG(STRUCT(c0 AS c0) ORDER BY _engine_o0) AS v FROM (SELECT t2.`id` AS c0, t2.`author_id` AS _engine_k0, t2.`id` AS _engine_o0 FROM `hub`.`article` AS t2) GROUP BY _engine_k0) AS t3 ON t3._engine_k0 = t0.`id` LEFT JOIN (SELECT t1.`author_id` AS _engine_k0, COUNT(*) AS c1, FORMAT_TIMESTAMP('%Y-%m-%dT%H:%M:%E*SZ', max(t1.`created_at`)) AS c2 FROM `hub`.`article` AS t1 GROUP BY _engine_k0) AS t4 ON t4._engine_k0 = t0.`id` ORDER BY t0.`id`;

-- aggregates of a page of related rows
-- ()
SELECT t0.`id` AS c0, STRUCT((SELECT ARRAY_AGG(e ORDER BY i) FROM UNNEST(t4.v) AS e WITH OFFSET AS i WHERE i >= 1 AND i - 1 < 1) AS c0, IFNULL(t5.c1, 0) AS c1, t5.c2 AS c2) AS c1 FROM `hub`.`author` AS t0 LEFT JOIN (SELECT _engine_k0, ARRAY_AGG(STRUCT(c0 AS c0) ORDER BY _engine_o0 LIMIT 2) AS v FROM (SELECT t3.`id` AS c0, t3.`author_id` AS _engine_k0, t3.`id` AS _engine_o0 FROM `hub`.`article` AS t3) GROUP BY _engine_k0) AS t4 ON t4._engine_k0 = t0.`id` LEFT JOIN (SELECT t2._engine_k0 AS _engine_k0, COUNT(*) AS c1, sum(t2.`id`) AS c2 FROM (SELECT * EXCEPT (_engine_n) FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY _engine_k0 ORDER BY _engine_o0) AS _engine_n FROM (SELECT t1.*, t1.`author_id` AS _engine_k0, t1.`id` AS _engine_o0 FROM `hub`.`article` AS t1)) WHERE _engine_n > 1 AND _engine_n - 1 <= 1) AS t2 GROUP BY _engine_k0) AS t5 ON t5._engine_k0 = t0.`id` ORDER BY t0.`id`;

-- aggregates of distinct related rows
-- ()
SELECT t0.`id` AS c0, STRUCT(IFNULL(t3.c0, 0) AS c0, t3.c1 AS c1) AS c1 FROM `hub`.`author` AS t0 LEFT JOIN (SELECT t2._engine_k0 AS _engine_k0, COUNT(*) AS c0, sum(t2.`id`) AS c1 FROM (SELECT * EXCEPT (_engine_d) FROM (SELECT t1.*, t1.`author_id` AS _engine_k0, t1.`author_id` AS _engine_o0, t1.`is_published` AS _engine_o1, t1.`created_at` AS _engine_o2, ROW_NUMBER() OVER (PARTITION BY t1.`author_id`, t1.`author_id`, t1.`is_published` ORDER BY t1.`author_id`, t1.`is_published`, t1.`created_at` DESC NULLS FIRST) AS _engine_d FROM `hub`.`article` AS t1) WHERE _engine_d = 1) AS t2 GROUP BY _engine_k0) AS t3 ON t3._engine_k0 = t0.`id` ORDER BY t0.`id`;

-- names of types alone
-- ()
SELECT t0.`id` AS c0, STRUCT(NULL AS c0) AS c1 FROM `hub`.`author` AS t0 ORDER BY t0.`id`;

-- ordered by related rows
-- ()
SELECT t0.`id` AS c0 FROM `hub`.`article` AS t0 LEFT JOIN (SELECT _engine_k0, ANY_VALUE(c0) AS v FROM (SELECT t1.`name` AS c0, t1.`id` AS _engine_k0 FROM `hub`.`author` AS t1) GROUP BY _engine_k0) AS t2 ON t2._engine_k0 = t0.`author_id` ORDER BY (t2.v) DESC, (SELECT COUNT(*) FROM `hub`.`citation` AS t3 WHERE t3.`article_id` = t0.`id`) LIMIT 2;

-- rows of another source
-- (p1 ARRAY<INT64>, p2 ARRAY<STRING>)
SELECT t2.v AS c0 FROM (SELECT @p1[OFFSET(n)] AS `author_id`, @p2[OFFSET(n)] AS `title`, n + 1 AS `ordinal` FROM UNNEST(GENERATE_ARRAY(0, ARRAY_LENGTH(@p1) - 1)) AS n) AS t0 LEFT JOIN (SELECT _engine_k0, _engine_k1, ARRAY_AGG(STRUCT(c0 AS c0) ORDER BY _engine_o0) AS v FROM (SELECT t1.`id` AS c0, t1.`author_id` AS _engine_k0, t1.`title` AS _engine_k1, t1.`id` AS _engine_o0 FROM `hub`.`article` AS t1) GROUP BY _engine_k0, _engine_k1) AS t2 ON t2._engine_k0 = t0.`author_id` AND t2._engine_k1 = t0.`title` ORDER BY t0.`ordinal`;

-- rows of a function
-- (p1 STRING, p2 STRING, p3 BOOL)
SELECT t0.`id` AS c0, (SELECT ARRAY_AGG(STRUCT(c0 AS c0, c1 AS c1) ORDER BY _engine_o0 LIMIT 10) FROM (SELECT t3.`title` AS c0, t5.v AS c1, t3.`title` AS _engine_o0 FROM `hub`.`written`(t0.`id`, @p1) AS t3 LEFT JOIN (SELECT _engine_k0, ARRAY_AGG(STRUCT(c0 AS c0) LIMIT 1)[SAFE_OFFSET(0)] AS v FROM (SELECT t4.`name` AS c0, t4.`id` AS _engine_k0 FROM `hub`.`author` AS t4) GROUP BY _engine_k0) AS t5 ON t5._engine_k0 = t3.`author_id` WHERE t3.`is_published` = @p3)) AS c1 FROM `hub`.`author` AS t0 WHERE EXISTS (SELECT 1 AS c0 FROM `hub`.`written`(t0.`id`, @p1) AS t1 WHERE t1.`title` = @p2) ORDER BY (SELECT COUNT(*) FROM `hub`.`written`(t0.`id`, @p1) AS t2) NULLS LAST, t0.`id`;

-- a page of the rows of a function
-- (p1 STRING, p2 INT64)
SELECT t0.`id` AS c0, (SELECT ARRAY_AGG(e ORDER BY i) FROM UNNEST((SELECT ARRAY_AGG(STRUCT(c0 AS c0) ORDER BY _engine_o0) FROM (SELECT t1.`title` AS c0, t1.`title` AS _engine_o0 FROM `hub`.`written`(t0.`id`, @p1) AS t1))) AS e WITH OFFSET AS i WHERE i >= 2 AND i - 2 < IFNULL(@p2, 9223372036854775807)) AS c1 FROM `hub`.`author` AS t0;

-- distinct rows of a function
-- (p1 STRING)
SELECT t0.`id` AS c0, (SELECT ARRAY_AGG(STRUCT(c0 AS c0) ORDER BY _engine_o0, _engine_o1) FROM (SELECT * EXCEPT (_engine_d) FROM (SELECT t1.`title` AS c0, t1.`is_published` AS _engine_o0, t1.`title` AS _engine_o1, ROW_NUMBER() OVER (PARTITION BY t1.`is_published` ORDER BY t1.`is_published`, t1.`title`) AS _engine_d FROM `hub`.`written`(t0.`id`, @p1) AS t1) WHERE _engine_d = 1)) AS c1 FROM `hub`.`author` AS t0;

-- rows of a function of a related row
-- (p1 STRING)
SELECT t0.`id` AS c0, t1.`name` AS c1, CASE WHEN t1.`id` IS NOT NULL THEN (SELECT ARRAY_AGG(STRUCT(c0 AS c0)) FROM (SELECT t2.`title` AS c0 FROM `hub`.`written`(t1.`id`, @p1) AS t2)) END AS c2, t1.`id` AS c3 FROM `hub`.`article` AS t0 LEFT JOIN `hub`.`author` AS t1 ON t1.`id` = t0.`author_id`;

-- a native query
-- (p1 INT64)
SELECT t0.`id` AS c0 FROM (SELECT q.`id` FROM (SELECT id, name FROM hub.author WHERE id > @p1 -- all
) AS q) AS t0;

