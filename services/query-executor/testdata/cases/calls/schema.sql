CREATE TABLE song (id int PRIMARY KEY, title text NOT NULL, price numeric NOT NULL, tags text[] NOT NULL);
INSERT INTO song VALUES (1, 'Aria', 1.50, '{slow,old}'), (2, 'Beat', 2.00, '{fast}'), (3, 'Coda', 4.00, '{}');

CREATE FUNCTION songs_tagged(wanted text[], ids int[] DEFAULT NULL) RETURNS SETOF song LANGUAGE sql STABLE AS
  $$ SELECT * FROM song WHERE tags && wanted AND (ids IS NULL OR id = ANY (ids)) $$;
CREATE FUNCTION song_matches(s song, wanted text[]) RETURNS int LANGUAGE sql STABLE AS
  $$ SELECT count(*)::int FROM unnest(s.tags) t WHERE t = ANY (wanted) $$;
CREATE FUNCTION song_price_in(s song, rate numeric DEFAULT 1, off int DEFAULT 0) RETURNS numeric LANGUAGE sql STABLE AS
  $$ SELECT s.price * rate - off $$;
CREATE FUNCTION song_needs(s song, rate numeric) RETURNS numeric LANGUAGE sql STABLE AS $$ SELECT s.price * rate $$;
-- As many values as the song has tags: none, one or several.
CREATE FUNCTION song_each_tag(s song) RETURNS SETOF text LANGUAGE sql STABLE AS $$ SELECT unnest(s.tags) $$;
CREATE FUNCTION song_each_length(s song) RETURNS SETOF int LANGUAGE sql STABLE AS $$ SELECT length(t) FROM unnest(s.tags) t $$;
-- One value, which may be NULL.
CREATE FUNCTION song_one(s song) RETURNS SETOF text LANGUAGE sql STABLE AS $$ SELECT nullif(s.title, 'Beat') $$;

-- A type that is called like the rows of a table.
CREATE SCHEMA other;
CREATE TYPE other.song AS ENUM ('short', 'long');
CREATE FUNCTION song_is(s song, kind other.song, kinds other.song[] DEFAULT '{}') RETURNS text LANGUAGE sql STABLE AS
  $$ SELECT s.title || ' is ' || kind || array_length(kinds, 1) $$;
