CREATE TABLE book (id int PRIMARY KEY, title text NOT NULL, shelf text NOT NULL);
INSERT INTO book VALUES (1, 'Ink', 'north'), (2, 'Oak', 'south');
CREATE FUNCTION shelf_mark(book_row book, acme_session json) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT book_row.shelf || '/' || (acme_session ->> 'x-acme-user-id')
$$;
