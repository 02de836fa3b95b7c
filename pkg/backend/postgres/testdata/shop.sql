-- What the shop of backendtest has besides in PostgreSQL.
CREATE INDEX ON album (artist_id);
CREATE INDEX ON track (album_id);
ALTER TABLE track ADD tags text[];
UPDATE track SET tags = CASE id % 6 WHEN 0 THEN NULL WHEN 1 THEN '{}' ELSE ARRAY['t' || id % 3, NULL, 'x,"y'] END;

-- Computed fields.
CREATE FUNCTION track_label(t track) RETURNS text STABLE LANGUAGE sql AS $$ SELECT t.id || ': ' || t.title $$;
CREATE FUNCTION album_title(a album, session json, prefix text DEFAULT 'the ') RETURNS text STABLE LANGUAGE sql AS $$
    SELECT prefix || a.title || ' for ' || (session ->> 'x-engine-role')
$$;
CREATE FUNCTION strict_title(a album) RETURNS text STABLE LANGUAGE plpgsql AS $$
BEGIN
    IF a IS NULL THEN RAISE 'no album'; END IF;
    RETURN upper(a.title);
END $$;
CREATE FUNCTION album_long_tracks(a album, at_least int) RETURNS SETOF track STABLE LANGUAGE sql AS $$
    SELECT * FROM track WHERE album_id = a.id AND seconds >= at_least
$$;

-- Functions as root fields.
CREATE FUNCTION search_track(q text) RETURNS SETOF track STABLE LANGUAGE sql AS $$
    SELECT * FROM track WHERE title LIKE '%' || q || '%'
$$;
CREATE FUNCTION one_album(wanted int) RETURNS album STABLE LANGUAGE sql AS $$ SELECT * FROM album WHERE id = wanted $$;

ANALYZE;
