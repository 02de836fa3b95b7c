CREATE TABLE page (id int PRIMARY KEY, body text NOT NULL);
INSERT INTO page SELECT n, repeat('x', 4000) || n FROM generate_series(1, 2000) n;
