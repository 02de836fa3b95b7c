CREATE TABLE artist (
  id int PRIMARY KEY,
  name text NOT NULL,
  rating numeric,
  since timestamptz
);
INSERT INTO artist VALUES
  (1, 'Ada', 4.50, '2001-02-03 04:05:06+00'),
  (2, 'Bea', NULL, NULL),
  (3, 'Cid', 3, '1999-12-31 23:00:00+00'),
  (4, 'Dan', 4.50, NULL),
  (5, 'Eve', NULL, '2020-01-01 00:00:00.5+00');

CREATE TABLE album (
  id bigint PRIMARY KEY,
  title text NOT NULL,
  artist_id int REFERENCES artist (id)
);
INSERT INTO album VALUES
  (9007199254740993, 'Alpha', 1), (2, 'Beta', 1), (3, 'Gamma', 3), (4, 'Delta', NULL), (5, 'Alpha', 5);

CREATE TABLE chart (
  country text,
  week int,
  song text,
  PRIMARY KEY (country, week)
);
INSERT INTO chart VALUES ('de', 1, 'One'), ('de', 2, 'Two'), ('fr "x"', 1, 'Three');

CREATE TABLE log (line text);
INSERT INTO log VALUES ('a line');

CREATE FUNCTION albums_like(pattern text) RETURNS SETOF album LANGUAGE sql STABLE AS
$$ SELECT * FROM album WHERE title LIKE pattern $$;
