CREATE TABLE artist (
  id int PRIMARY KEY,
  name text NOT NULL,
  manager_id int,
  born date
);
COMMENT ON TABLE artist IS 'whoever makes music';
COMMENT ON COLUMN artist.name IS 'as printed on the cover';

CREATE TABLE mood (name text PRIMARY KEY, meaning text);
INSERT INTO mood VALUES ('calm', 'to fall asleep'), ('wild', NULL), ('sad', 'to cry');

CREATE TABLE album (
  id int PRIMARY KEY,
  title text NOT NULL,
  artist_id int NOT NULL REFERENCES artist (id),
  mood text REFERENCES mood (name),
  meta jsonb,
  released timestamptz
);

CREATE TABLE track (
  id bigint PRIMARY KEY,
  title text NOT NULL,
  album_id int REFERENCES album (id),
  seconds int,
  price numeric,
  tags text[],
  explicit boolean NOT NULL DEFAULT false,
  rating float8
);
CREATE INDEX ON track (album_id);

INSERT INTO artist VALUES (1, 'Kim', 7, '1980-02-29'), (2, 'Lou', 8, NULL), (3, 'Max "M"', NULL, '1975-01-01');
INSERT INTO album VALUES
  (1, 'Blue', 1, 'calm', '{"a": {"b": [1, 2]}, "label": "x"}', '2024-03-09 10:15:30.25+00'),
  (2, 'Red', 1, 'wild', '{"label": "y"}', NULL),
  (3, 'Grey', 2, NULL, NULL, '1999-12-31 23:59:59+00');
INSERT INTO track VALUES
  (1, 'First', 1, 100, 1.50, '{x,y}', false, 4.5),
  (2, 'Second', 1, 200, 0.99, '{y}', true, 3),
  (3, 'Third', 2, 50, 2.00, '{}', false, NULL),
  (4, 'Fourth', 3, NULL, NULL, NULL, false, 1e20),
  (5, 'Fifth', NULL, 300, 10, '{z}', true, -0.5);

CREATE FUNCTION track_label(t track) RETURNS text LANGUAGE sql STABLE AS $$ SELECT upper(t.title) $$;
CREATE FUNCTION track_times(t track, n int, unit text DEFAULT 's') RETURNS text LANGUAGE sql STABLE AS
  $$ SELECT (t.seconds * n)::text || unit $$;
CREATE FUNCTION artist_tracks(a artist) RETURNS SETOF track LANGUAGE sql STABLE AS
  $$ SELECT t.* FROM track t JOIN album b ON b.id = t.album_id WHERE b.artist_id = a.id $$;
CREATE FUNCTION artist_whoami(a artist, session json) RETURNS text LANGUAGE sql STABLE AS
  $$ SELECT session ->> 'x-engine-role' $$;
CREATE FUNCTION find_tracks(word text, longest int DEFAULT 1000) RETURNS SETOF track LANGUAGE sql STABLE AS
  $$ SELECT * FROM track WHERE title ILIKE '%' || word || '%' AND coalesce(seconds, 0) <= longest $$;
CREATE FUNCTION one_track(wanted bigint) RETURNS track LANGUAGE sql STABLE AS
  $$ SELECT * FROM track WHERE id = wanted $$;
CREATE FUNCTION my_albums(session json) RETURNS SETOF album LANGUAGE sql STABLE AS
  $$ SELECT * FROM album WHERE artist_id = (session ->> 'x-engine-artist-id')::int $$;
