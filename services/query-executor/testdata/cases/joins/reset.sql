TRUNCATE sale, product;
INSERT INTO product VALUES (1, 'Axe', 7), (2, 'Bow', 8), (3, 'Cup', NULL);
INSERT INTO sale VALUES
  (1, 1, 1, 'north', 1, '1', 10.50), (2, 2, 2, 'north', 2, '2', 20), (3, 1, NULL, 'south', 1, NULL, 5),
  (4, 3, 1, NULL, 1, 'x', 1), (5, 3, 99, 'north', 1, '99', 2), (6, 2, 1, 'east', 3, '3', 3.25);
