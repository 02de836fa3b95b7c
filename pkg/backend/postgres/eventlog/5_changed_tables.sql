-- table_fits reports whether expressions are possible with rows of a table, before and after a change. It is no IMMUTABLE
-- function, and is called one for this: its value is a constant of the plan that calls it, which is made again whenever the
-- table changes. A table that isn't there, as after a restore under another number, says nothing.
CREATE FUNCTION engine_catalog.table_fits(relation regclass, expressions text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF EXISTS (SELECT FROM pg_catalog.pg_class WHERE oid = relation) THEN
    EXECUTE pg_catalog.format('SELECT %s FROM (SELECT x AS before, x AS after
      FROM pg_catalog.jsonb_populate_record(NULL::%s, ''{}'') AS x OFFSET 0) AS c', expressions, relation);
  END IF;
  RETURN true;
EXCEPTION
  WHEN syntax_error_or_access_rule_violation THEN RETURN false;
  WHEN OTHERS THEN RETURN true;
END;
$$;
