CREATE TABLE artist (id int PRIMARY KEY, name text NOT NULL, big bigint, ratio float8);
INSERT INTO artist VALUES (1, 'Kim', 9007199254740993, 0.1), (2, 'Lou', NULL, 'NaN');
CREATE SCHEMA archive;
CREATE TABLE archive.track (id int PRIMARY KEY, title text, artist_id int);
INSERT INTO archive.track VALUES (1, 'Old', 1), (2, 'Older', 2);
CREATE VIEW artist_names AS SELECT name FROM artist;
