-- Values of all kinds at the same places.
CREATE TABLE shelf (id int PRIMARY KEY, rules jsonb NOT NULL DEFAULT '{}');
CREATE TABLE doc (id int PRIMARY KEY, owner int NOT NULL, shelf_id int REFERENCES shelf, meta jsonb, secret jsonb);
CREATE FUNCTION doc_facts(doc doc) RETURNS jsonb LANGUAGE sql STABLE AS $$ SELECT jsonb_build_object('owner', doc.owner) $$;
INSERT INTO shelf VALUES (1, '{"order": 2}'), (2, '{"order": 1}');
