CREATE TABLE customer (id int PRIMARY KEY, name text NOT NULL, secret text);
COMMENT ON TABLE customer IS 'Who buys "things"';
INSERT INTO customer VALUES (1, 'Ada', 'x'), (2, 'Bea', 'y'), (3, 'Cid', 'z');
CREATE TABLE seat (hall text, number int, price numeric, PRIMARY KEY (hall, number));
INSERT INTO seat VALUES ('north', 1, 10.50), ('north', 2, 9);
CREATE TABLE visit (id int PRIMARY KEY, customer_id int REFERENCES customer (id));
INSERT INTO visit VALUES (1, 2);
