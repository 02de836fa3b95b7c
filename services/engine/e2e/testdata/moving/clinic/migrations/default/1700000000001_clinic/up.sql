CREATE TABLE doctor (id int PRIMARY KEY, name text NOT NULL);
CREATE TABLE visit (
  id serial PRIMARY KEY,
  doctor_id int NOT NULL REFERENCES doctor,
  patient text NOT NULL,
  written_by text
);
INSERT INTO doctor VALUES (7, 'Ada'), (8, 'Ben');
INSERT INTO visit (doctor_id, patient) VALUES (7, 'Kim'), (7, 'Lou'), (8, 'Max');

CREATE FUNCTION my_visits(acme_session json) RETURNS SETOF visit LANGUAGE sql STABLE AS $$
  SELECT * FROM visit WHERE doctor_id = (acme_session ->> 'x-acme-user-id')::int
$$;
CREATE FUNCTION visit_is_mine(of_visit visit, session json) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT of_visit.doctor_id = (session ->> 'x-acme-user-id')::int
$$;
CREATE FUNCTION sign_visit() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE who json := current_setting('acme.user', 't')::json;
BEGIN
  NEW.written_by := (who ->> 'x-acme-role') || ' ' || (who ->> 'x-acme-user-id');
  RETURN NEW;
END $$;
CREATE TRIGGER sign_visit BEFORE INSERT OR UPDATE ON visit FOR EACH ROW EXECUTE FUNCTION sign_visit();
