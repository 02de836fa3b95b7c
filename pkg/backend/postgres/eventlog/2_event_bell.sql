-- new_event_id is a UUID of version 7: ids of one time lie together in the index. Its bits are from
-- random(), for ids are no secrets, and gen_random_uuid() makes an insert of one row 6 µs longer.
CREATE FUNCTION engine_catalog.new_event_id() RETURNS text LANGUAGE sql VOLATILE AS $$
  SELECT ('0' || pg_catalog.to_hex((pg_catalog.date_part('epoch', pg_catalog.clock_timestamp()) * 1000)::bigint << 16
      | 28672 | (pg_catalog.random() * 4095)::int)
    || pg_catalog.to_hex(-9223372036854775807 + (pg_catalog.random() * 4611686018427387000)::bigint))::uuid::text
$$;

-- event_payload is what is stored of an event; data is the text of {"old":..,"new":..}.
CREATE FUNCTION engine_catalog.event_payload(op text, data text) RETURNS jsonb LANGUAGE sql VOLATILE AS $$
  SELECT ('{"op":"' || op || '","data":' || data
    || ',"session_variables":' || coalesce(nullif(pg_catalog.current_setting('engine.user', true), ''), 'null')
    || ',"trace_context":' || coalesce(nullif(pg_catalog.current_setting('engine.tracecontext', true), ''), 'null')
    || '}')::jsonb
$$;

-- insert_event_log writes an event in the transaction that it is about, and wakes who delivers it and
-- sleeps: that one has the lock to itself then.
CREATE OR REPLACE FUNCTION engine_catalog.insert_event_log(
  schema_name text, table_name text, trigger_name text, op text, row_data json, order_key text DEFAULT NULL
) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  made text := engine_catalog.new_event_id();
BEGIN
  INSERT INTO engine_catalog.event_log (id, schema_name, table_name, trigger_name, payload, order_key)
  VALUES (made, schema_name, table_name, trigger_name,
    engine_catalog.event_payload(op, coalesce(row_data::text, 'null')), order_key);
  IF NOT pg_catalog.pg_try_advisory_xact_lock_shared(7402311900102) THEN
    PERFORM pg_catalog.pg_notify('engine_events', '');
  END IF;
  RETURN made;
END;
$$;
