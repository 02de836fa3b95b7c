-- Four tables in three levels: a place is written before its owners.
CREATE TABLE place (id serial PRIMARY KEY, name text);
CREATE TABLE owner (id serial PRIMARY KEY, name text NOT NULL, place_id int REFERENCES place, size int DEFAULT 7);
CREATE TABLE item (id serial PRIMARY KEY, owner_id int REFERENCES owner, name text NOT NULL, size int DEFAULT 3, most int NOT NULL DEFAULT 99);
CREATE TABLE part (id serial PRIMARY KEY, item_id int REFERENCES item, name text, size int);
-- Nothing is written here.
CREATE TABLE banned (name text PRIMARY KEY);
INSERT INTO banned VALUES ('bad');
