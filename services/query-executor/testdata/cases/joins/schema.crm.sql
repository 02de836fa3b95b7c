CREATE TABLE customer (id int PRIMARY KEY, name text NOT NULL, code text UNIQUE, region text, shop int, tags text[], meta jsonb);
CREATE TABLE visit (id int PRIMARY KEY, customer_id int REFERENCES customer, topic text NOT NULL);
INSERT INTO customer VALUES
  (1, 'Ann', 'C1', 'north', 1, '{a,b}', '{"k": "Axe"}'), (2, 'Bob', 'C2', 'north', 2, '{}', '"Axe"'),
  (3, 'Cid', 'C3', 'north', 1, NULL, NULL), (7, 'Eve', 'C7', 'south', 1, '{c}', '"Bow"');
INSERT INTO visit VALUES (1, 1, 'advice'), (2, 1, 'return'), (3, 2, 'advice'), (4, 7, 'advice');
