CREATE TABLE job (id int PRIMARY KEY, boss int REFERENCES job, status text NOT NULL, n int NOT NULL DEFAULT 1);
CREATE TABLE tick (id int PRIMARY KEY, at timestamptz NOT NULL);
CREATE FUNCTION active(job) RETURNS int LANGUAGE sql STABLE AS $$ SELECT count(*)::int FROM job WHERE status = 'active' $$;
CREATE FUNCTION total(r job) RETURNS int LANGUAGE sql STABLE AS $$ SELECT sum(n)::int FROM job WHERE boss IS NOT DISTINCT FROM r.boss $$;
CREATE FUNCTION doubled(r job) RETURNS int LANGUAGE sql IMMUTABLE AS $$ SELECT r.n * 2 $$;
CREATE VIEW busy AS SELECT id, count(*) OVER () AS n FROM job WHERE status = 'active';
