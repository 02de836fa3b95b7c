CREATE TABLE parcel (id serial PRIMARY KEY, owner text NOT NULL, weight int NOT NULL);
INSERT INTO parcel (owner, weight) VALUES ('u1', 3), ('u2', 5);
CREATE FUNCTION take_parcels(session jsonb, from_weight int) RETURNS SETOF parcel LANGUAGE sql VOLATILE AS $$
  UPDATE parcel SET weight = weight + 1
   WHERE owner = current_setting('acme.user')::jsonb ->> 'x-acme-user-id' AND owner = session ->> 'x-acme-user-id' AND weight >= from_weight
  RETURNING *
$$;
