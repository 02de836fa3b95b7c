CREATE TABLE employee (id int PRIMARY KEY, name text NOT NULL, badge int);
CREATE TABLE award (id int PRIMARY KEY, employee_id int NOT NULL, title text NOT NULL);
INSERT INTO employee VALUES (1, 'Ann', 11), (2, 'Ben', NULL), (3, 'Cid', 13);
INSERT INTO award VALUES (1, 1, 'fastest'), (2, 3, 'kindest'), (3, 1, 'tallest');
