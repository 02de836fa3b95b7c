CREATE TABLE status (name text PRIMARY KEY);
INSERT INTO status VALUES ('paid'), ('open');
CREATE TABLE sale (
  id int PRIMARY KEY, region text, status text NOT NULL REFERENCES status, owner int NOT NULL,
  amount numeric, units int, weight float8, made date, total bigint, raw json, extra jsonb
);
INSERT INTO sale VALUES
  (1, 'north', 'paid', 1, 10.50, 3, 0.5, '2100-01-01', 9007199254740993, '{}', '{"a": 1}'),
  (2, 'north', 'open', 1, 2, 1, NULL, '2100-01-02', 2, '{}', '{"a": 1}'),
  (3, 'south', 'paid', 1, 7, NULL, 1.5, '2100-01-01', NULL, '{}', NULL),
  (4, NULL, 'paid', 2, NULL, 2, 2, NULL, 4, NULL, '[]'),
  (5, NULL, 'open', 2, 1, 2, 2, '2100-01-02', 5, NULL, NULL),
  (6, 'west', 'paid', 2, 100, 50, 9, '2100-02-01', 6, NULL, NULL);
