CREATE TYPE mood AS ENUM ('calm', 'wild');
CREATE TABLE author (id integer PRIMARY KEY, name text NOT NULL, mood mood);
CREATE TABLE article (id integer PRIMARY KEY, author_id integer NOT NULL REFERENCES author, title text NOT NULL, words integer NOT NULL, secret text);
INSERT INTO author VALUES (1, 'Ada', 'calm'), (2, 'Bo', 'wild'), (3, 'Cy', NULL);
INSERT INTO article VALUES
    (1, 1, 'On engines', 1200, 'a'), (2, 1, 'Notes', 300, 'b'), (3, 2, 'Rivers''n lakes', 800, 'c'), (4, 2, 'Stones', 150, NULL);
