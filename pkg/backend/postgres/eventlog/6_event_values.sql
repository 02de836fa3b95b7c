-- event_value is a value as JSON that an event can hold: json that jsonb can't hold, and what can't be made JSON, is a text.
CREATE FUNCTION engine_catalog.event_value(value anyelement) RETURNS json LANGUAGE plpgsql STABLE AS $$
DECLARE
  made json;
BEGIN
  made := pg_catalog.to_json(value);
  PERFORM made::jsonb;
  RETURN made;
EXCEPTION WHEN OTHERS THEN
  RETURN pg_catalog.to_json(value::text);
END;
$$;
-- event_geojson is event_value for a spatial value, by the functions of a schema: some shapes have no GeoJSON.
CREATE FUNCTION engine_catalog.event_geojson(value anyelement, schema_name text) RETURNS json LANGUAGE plpgsql STABLE AS $$
DECLARE
  made json;
BEGIN
  EXECUTE pg_catalog.format('SELECT %I.st_asgeojson($1)::json', schema_name) INTO made USING value;
  RETURN made;
EXCEPTION WHEN OTHERS THEN
  RETURN pg_catalog.to_json(value::text);
END;
$$;
-- event_row is event_value for a row: of one that an event can't hold as it is, each column that it can't hold is a text.
CREATE FUNCTION engine_catalog.event_row(value anyelement) RETURNS json LANGUAGE plpgsql STABLE AS $$
DECLARE
  made json := engine_catalog.event_value(value);
BEGIN
  IF pg_catalog.json_typeof(made) = 'string' THEN
    EXECUTE (SELECT pg_catalog.format('SELECT pg_catalog.json_object_agg(n, v) FROM (VALUES %s) AS c(n, v)',
        pg_catalog.string_agg(pg_catalog.format('(%L, engine_catalog.event_value(($1).%I))', a.attname, a.attname), ', ' ORDER BY a.attnum))
      FROM pg_catalog.pg_type t JOIN pg_catalog.pg_attribute a ON a.attrelid = t.typrelid
      WHERE t.oid = pg_catalog.pg_typeof(value) AND a.attnum > 0 AND NOT a.attisdropped) INTO made USING value;
  END IF;
  RETURN made;
END;
$$;
