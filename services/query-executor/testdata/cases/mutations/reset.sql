DELETE FROM track; DELETE FROM album; DELETE FROM biography; DELETE FROM artist; DELETE FROM country; DELETE FROM folder;
DELETE FROM review; DELETE FROM guest; DELETE FROM empty_row; DELETE FROM key_less; DELETE FROM "odd name"; DELETE FROM login;
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
