CREATE TABLE card_kind (value text PRIMARY KEY, comment text);
INSERT INTO card_kind VALUES ('plain', 'no picture'), ('fancy', NULL);
CREATE TABLE shop_owner (id int PRIMARY KEY, full_name text NOT NULL);
INSERT INTO shop_owner VALUES (1, 'Ann');
CREATE TABLE gift_card (
  id int PRIMARY KEY,
  sold_at date,
  owner_id int REFERENCES shop_owner (id),
  kind text REFERENCES card_kind (value),
  face_value numeric
);
INSERT INTO gift_card VALUES (1, '2024-03-09', 1, 'plain', 10), (2, NULL, 1, 'fancy', 25.50);
CREATE FUNCTION find_cards(min_value int) RETURNS SETOF gift_card LANGUAGE sql STABLE AS
  $$ SELECT * FROM gift_card WHERE face_value >= min_value $$;
