CREATE SCHEMA archive;
CREATE TYPE mood AS ENUM ('calm', 'loud');
CREATE TABLE genre (id int PRIMARY KEY, name text NOT NULL UNIQUE);
CREATE TABLE artist (id int PRIMARY KEY, name text NOT NULL, born date, owner_id int);
CREATE TABLE album (
    id int PRIMARY KEY,
    title text NOT NULL,
    artist_id int REFERENCES artist,
    released timestamptz,
    meta jsonb,
    "odd ""name" text
);
CREATE TABLE track (
    id int PRIMARY KEY,
    album_id int REFERENCES album,
    genre_id int REFERENCES genre,
    title text NOT NULL,
    seconds int,
    price numeric(6,2) NOT NULL,
    plays bigint,
    mood mood,
    tags text[]
);
CREATE TABLE archive.note (track_id int, body text);
CREATE INDEX ON album (artist_id);
CREATE INDEX ON track (album_id);

INSERT INTO genre VALUES (1, 'Rock'), (2, 'Jazz'), (3, 'Silence');
INSERT INTO artist VALUES
    (1, 'Joni', '1943-11-07', 7), (2, 'Miles', '1926-05-26', 7), (3, 'Nobody', NULL, NULL), (4, 'AC"DC', NULL, 8);
INSERT INTO album VALUES
    (1, 'Blue', 1, '1971-06-22 00:00:00+00', '{"labels": ["Reprise", "WB"], "year": 1971}', 'odd'),
    (2, 'Hejira', 1, '1976-11-22 00:00:00+00', '{"labels": []}', NULL),
    (3, 'Kind of Blue', 2, '1959-08-17 12:30:00.5+00', NULL, 'x'),
    (4, 'Lost', NULL, NULL, 'null', NULL),
    (5, 'Powerage', 4, 'infinity', '[1, 2]', '"');
INSERT INTO track
SELECT i, CASE WHEN i % 11 = 0 THEN NULL ELSE 1 + i % 4 END, CASE WHEN i % 7 = 0 THEN NULL ELSE 1 + i % 2 END,
    'track ' || i, CASE WHEN i % 5 = 0 THEN NULL ELSE 100 + (i * 37) % 300 END, 0.5 + (i % 9) / 4.0,
    CASE WHEN i % 3 = 0 THEN NULL ELSE i * 1000000007::bigint END,
    CASE i % 4 WHEN 0 THEN 'calm' WHEN 1 THEN 'loud' END::mood,
    CASE i % 6 WHEN 0 THEN NULL WHEN 1 THEN '{}' ELSE ARRAY['t' || i % 3, NULL, 'x,"y'] END
FROM generate_series(1, 40) AS i;
INSERT INTO archive.note VALUES (1, 'first'), (1, 'second'), (2, NULL);

-- Computed fields.
CREATE FUNCTION track_label(t track) RETURNS text STABLE LANGUAGE sql AS $$ SELECT t.id || ': ' || t.title $$;
CREATE FUNCTION album_title(a album, session json, prefix text DEFAULT 'the ') RETURNS text STABLE LANGUAGE sql AS $$
    SELECT prefix || a.title || ' for ' || (session ->> 'x-engine-role')
$$;
CREATE FUNCTION strict_title(a album) RETURNS text STABLE LANGUAGE plpgsql AS $$
BEGIN
    IF a IS NULL THEN RAISE 'no album'; END IF;
    RETURN upper(a.title);
END $$;
CREATE FUNCTION album_long_tracks(a album, at_least int) RETURNS SETOF track STABLE LANGUAGE sql AS $$
    SELECT * FROM track WHERE album_id = a.id AND seconds >= at_least
$$;

-- Functions as root fields.
CREATE FUNCTION search_track(q text) RETURNS SETOF track STABLE LANGUAGE sql AS $$
    SELECT * FROM track WHERE title LIKE '%' || q || '%'
$$;
CREATE FUNCTION one_album(wanted int) RETURNS album STABLE LANGUAGE sql AS $$ SELECT * FROM album WHERE id = wanted $$;

ANALYZE;
