CREATE TABLE book (id int PRIMARY KEY, statement text);
INSERT INTO book SELECT n FROM generate_series(1, 9) AS n;

-- What the database knows of the statement that asks, and which ones its connection has prepared.
CREATE VIEW activity AS SELECT query FROM pg_stat_activity WHERE pid = pg_backend_pid();
CREATE VIEW prepared AS SELECT statement FROM pg_prepared_statements;

CREATE FUNCTION note_statement() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.statement := current_query();
  RETURN NEW;
END $$;
CREATE TRIGGER note BEFORE INSERT OR UPDATE ON book FOR EACH ROW EXECUTE FUNCTION note_statement();
