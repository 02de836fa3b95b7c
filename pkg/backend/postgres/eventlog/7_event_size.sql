-- event_that_fits is the text of {"old":..,"new":..} as jsonb can hold it: a text has at most 256 MB there. Of rows that don't fit, values of
-- more than 100,000 bytes are null, and "omitted" has the names of their columns.
CREATE FUNCTION engine_catalog.event_that_fits(data text) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM data::jsonb;
  RETURN data;
EXCEPTION WHEN OTHERS THEN
  RETURN (
    WITH rows AS (
      SELECT part, value FROM pg_catalog.json_each(data::json) AS r(part, value) WHERE pg_catalog.json_typeof(value) = 'object'
    ), columns AS (
      SELECT part, c.name, c.value, pg_catalog.octet_length(c.value::text) > 100000 AS large FROM rows, pg_catalog.json_each(rows.value) AS c(name, value)
    ), fitting AS (
      SELECT part, pg_catalog.json_object_agg(name, CASE WHEN large THEN 'null'::json ELSE value END) AS value FROM columns GROUP BY part
    )
    SELECT pg_catalog.json_build_object(
      'old', (SELECT value FROM fitting WHERE part = 'old'), 'new', (SELECT value FROM fitting WHERE part = 'new'),
      'omitted', (SELECT pg_catalog.json_agg(name ORDER BY name) FROM (SELECT DISTINCT name FROM columns WHERE large) AS n))::text
  );
END;
$$;
-- event_payload is as before; small rows fit.
CREATE OR REPLACE FUNCTION engine_catalog.event_payload(op text, data text) RETURNS jsonb LANGUAGE sql VOLATILE AS $$
  SELECT ('{"op":"' || op || '","data":' || CASE WHEN pg_catalog.octet_length(data) < 20000000 THEN data ELSE engine_catalog.event_that_fits(data) END
    || ',"session_variables":' || coalesce(nullif(pg_catalog.current_setting('engine.user', true), ''), 'null')
    || ',"trace_context":' || coalesce(nullif(pg_catalog.current_setting('engine.tracecontext', true), ''), 'null')
    || '}')::jsonb
$$;
