CREATE TABLE org (id int PRIMARY KEY, label text, tenant_id bigint, favorite bigint);
INSERT INTO org VALUES (1, 'one', 1, 101), (2, 'two', 2, 103), (3, 'again', 2, NULL), (4, 'none', NULL, NULL), (5, 'gone', 99, 101);
