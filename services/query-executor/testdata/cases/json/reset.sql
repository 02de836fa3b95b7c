TRUNCATE doc;
INSERT INTO doc VALUES
  (1, 1, 1, '{"size": 3, "name": "a", "tags": ["x", "y"], "a": {"b": {"c": 1}}, "ok": true}', '{"pin": 1}'),
  (2, 1, 1, '{"size": 10, "name": "b", "tags": [], "a": {"b": 5}, "ok": false}', '{"pin": 2}'),
  (3, 1, 2, '{"size": "10", "name": 7, "tags": {"0": "x"}, "a": null, "ok": "true"}', '{"pin": 3}'),
  (4, 2, 2, '{"size": 3.5, "name": null, "a": []}', NULL),
  (5, 2, NULL, '{"size": 1e400}', '"text"'),
  (6, 2, NULL, '[1, {"size": 3}]', '{}'),
  (7, 1, NULL, NULL, NULL),
  (8, 1, NULL, '"text"', NULL);
