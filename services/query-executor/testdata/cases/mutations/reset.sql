-- A table that is new, and not only empty, keeps its rows in the order in which they are written.
TRUNCATE track, album, biography, artist, country, folder, review, guest, empty_row, key_less, "odd name", login CASCADE;
SELECT setval(c.oid::regclass, 1, false) FROM pg_class c WHERE relkind = 'S' AND relnamespace = 'public'::regnamespace;
INSERT INTO country VALUES ('de', 'Germany'), ('jm', 'Jamaica');
INSERT INTO artist (name, manager_id, country) VALUES ('Kim', 7, 'de'), ('Lou', 8, NULL), ('Max', NULL, NULL);
INSERT INTO album (title, artist_id, mood, meta, price, tags) VALUES
  ('Blue', 1, 'calm', '{"a": {"b": [1, 2]}, "label": "x"}', 4.5, '{x,y}'),
  ('Red', 1, 'wild', '["x", "y"]', 7, NULL),
  ('Grey', 2, NULL, '{}', NULL, '{}');
INSERT INTO track (title, album_id, seconds) VALUES ('First', 1, 100), ('Second', 1, 200), ('Third', 2, 50);
INSERT INTO folder (name) VALUES ('root');
DELETE FROM before; INSERT INTO before TABLE everything;
