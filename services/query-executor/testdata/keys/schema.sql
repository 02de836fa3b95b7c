SET timezone = 'UTC';
CREATE TABLE l_text (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, v text);
CREATE TABLE l_int8 (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, v bigint);
CREATE TABLE l_numeric (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, v numeric);
CREATE TABLE l_float8 (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, v float8);
CREATE TABLE l_timestamptz (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, v timestamptz);
CREATE TABLE l_json (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, v jsonb);
INSERT INTO l_text (v) VALUES
  ('6f96c2a1-0000-4000-8000-000000000001'), ('6F96C2A1000040008000000000000001'), ('{6f96c2a1-0000-4000-8000-000000000001'), ('not a uuid'), ('7'), (' 7 '), ('7.0'), ('7.5'), ('99999999999'), ('1e400'), ('NaN'), ('yes'), ('2024-01-02'), ('2024-02-30'), ('2024-01-02T00:00:00+00:00'), ('2024-01-02 10:00:00.1234567'), ('10:00'), ('25:00'), ('happy'), ('sad'), ('[7]'), ('');
INSERT INTO l_int8 (v) VALUES (7), (1), (2), (40000), (99999999999), (NULL);
INSERT INTO l_numeric (v) VALUES (7), (7.0), (7.5), (1e30), ('NaN'), (1e-60);
INSERT INTO l_float8 (v) VALUES (7), (7.5), (1e300), ('NaN'), ('Infinity');
INSERT INTO l_timestamptz (v) VALUES ('2024-01-02 00:00Z'), ('2024-01-02 10:00Z'), ('2024-01-02 10:00:00.5Z'), ('infinity');
INSERT INTO l_json (v) VALUES ('7'), ('"7"'), ('7.5'), ('[7]'), ('[7.5]'), ('["x"]'), ('{"a": 7}'), ('true'), ('null');
INSERT INTO l_text (v) VALUES ('1 mon 2 days'), ('P1M2D'), ('1 mon 2'), ('01:00:00.0000001'), ('$7.50'), ('7.501'), ('1,000.00'), ('10.0.0.1'), ('10.0.0.1/8'), ('10.0.0.0/8'), ('10.0.0.300'), ('08-00-2b-01-02-03'), ('08:00:2b:01:02'), ('a.b'), ('a..b'), ('101'), ('1012'), ('\x61'), ('\x6'), ('a'), (repeat('n', 63)), (repeat('n', 64)), ('4294967296');
