package bench

import (
	"github.com/jackc/pgx/v5"
)

const jsonTrack = `json_build_object('id', id, 'name', name, 'composer', composer, 'duration_ms', duration_ms,
	'unit_price', unit_price, 'album_id', album_id)`

const jsonPlaylistsByGenre = `
SELECT coalesce(json_agg(json_build_object('name', p.name, 'tracks_of_genre', (
	SELECT coalesce(json_agg(json_build_object('track', json_build_object('name', l.name,
		'album', CASE WHEN l.album_id IS NULL THEN NULL ELSE json_build_object('title', l.title, 'artist',
			json_build_object('name', l.artist)) END,
		'media_type', json_build_object('name', l.media_type)))), '[]')
	FROM (
		SELECT t.name, t.album_id, al.title, ar.name AS artist, m.name AS media_type
		FROM playlist_tracks pt
		JOIN tracks t ON t.id = pt.track_id
		JOIN genres g ON g.id = t.genre_id AND g.name = $1
		JOIN media_types m ON m.id = t.media_type_id
		LEFT JOIN albums al ON al.id = t.album_id
		LEFT JOIN artists ar ON ar.id = al.artist_id
		WHERE pt.playlist_id = p.id
		LIMIT $2
	) l
)) ORDER BY p.name), '[]')
FROM playlists p
WHERE EXISTS (
	SELECT FROM playlist_tracks pt
	JOIN tracks t ON t.id = pt.track_id
	JOIN genres g ON g.id = t.genre_id
	WHERE pt.playlist_id = p.id AND g.name = $1
)`

// jsonStatements let the database build the answer.
var jsonStatements = map[string]statement{
	"Q1": {
		sql:  `SELECT ` + jsonTrack + ` FROM tracks WHERE id = $1`,
		args: func(p parameters) []any { return []any{p.ID} },
		head: `{"data":{"tracks_by_pk":`, tail: `}}`,
		encode: oneValue,
	},
	"Q2": {
		sql: `SELECT coalesce(json_agg(json_build_object('id', id, 'name', name, 'album_id', album_id,
			'duration_ms', duration_ms, 'unit_price', unit_price)), '[]')
			FROM (SELECT * FROM tracks ORDER BY id LIMIT 20) t`,
		head: `{"data":{"tracks":`, tail: `}}`, encode: oneValue,
	},
	"Q3": {
		sql: `SELECT coalesce(json_agg(json_build_object('id', id, 'name', name, 'albums', (
				SELECT coalesce(json_agg(json_build_object('id', id, 'title', title, 'tracks', (
					SELECT coalesce(json_agg(json_build_object('id', id, 'name', name, 'duration_ms', duration_ms)), '[]')
					FROM (SELECT id, name, duration_ms FROM tracks WHERE album_id = al.id ORDER BY id LIMIT 10) t
				))), '[]')
				FROM (SELECT id, title FROM albums WHERE artist_id = ar.id ORDER BY id LIMIT 10) al
			))), '[]')
			FROM (SELECT id, name FROM artists ORDER BY id LIMIT 50) ar`,
		head: `{"data":{"artists":`, tail: `}}`, encode: oneValue,
	},
	"Q4": {
		sql: `SELECT coalesce(json_agg(json_build_object('id', id, 'name', name, 'composer', composer,
			'duration_ms', duration_ms)), '[]')
			FROM (SELECT id, name, composer, duration_ms FROM tracks WHERE genre_id = $1 AND duration_ms > $2
				ORDER BY duration_ms DESC, id LIMIT $3) t`,
		args: func(p parameters) []any { return []any{p.Genre, p.Min, p.Limit} },
		head: `{"data":{"tracks":`, tail: `}}`, encode: oneValue,
	},
	"Q5": {
		sql: `SELECT json_build_object('aggregate', json_build_object('count', count(*)))
			FROM tracks WHERE genre_id = $1`,
		args: func(p parameters) []any { return []any{p.Genre} },
		head: `{"data":{"tracks_aggregate":`, tail: `}}`, encode: oneValue,
	},
	"Q6": {
		sql: `SELECT coalesce(json_agg(json_build_object('id', id, 'name', name, 'album_id', album_id,
			'media_type_id', media_type_id, 'genre_id', genre_id, 'composer', composer, 'duration_ms', duration_ms,
			'bytes', bytes, 'unit_price', unit_price)), '[]') FROM tracks`,
		head: `{"data":{"tracks":`, tail: `}}`, encode: oneValue,
	},
	"M1": {
		sql: `WITH i AS (INSERT INTO invoices (id, customer_id, invoice_date, billing_city, total)
			VALUES ($1, 5, '2026-01-01T00:00:00Z', $2, 9.99) RETURNING id, total)
			SELECT json_build_object('id', id, 'total', total) FROM i`,
		args: func(p parameters) []any { return []any{p.ID, p.City} },
		head: `{"data":{"insert_invoices_one":`, tail: `}}`, encode: oneValue,
	},
	"M2": {
		sql: `WITH i AS (UPDATE invoices SET billing_city = $2 WHERE id = $1 RETURNING id, billing_city)
			SELECT json_build_object('id', id, 'billing_city', billing_city) FROM i`,
		args: func(p parameters) []any { return []any{p.ID, p.City} },
		head: `{"data":{"update_invoices_by_pk":`, tail: `}}`, encode: oneValue,
	},
	"C2": {
		sql:  jsonPlaylistsByGenre,
		args: func(p parameters) []any { return []any{p.Name, p.Limit} },
		head: `{"data":{"playlist_containing_genre":`, tail: `}}`, encode: oneValue,
	},
	"C3": {
		sql:  jsonPlaylistsByGenre,
		args: func(p parameters) []any { return []any{p.Name, p.Limit} },
		head: `{"data":{"playlist_containing_genre":`, tail: `}}`, encode: oneValue,
	},
}

// oneValue takes the one value of the one row as it is; no row is null.
func oneValue(out []byte, rows pgx.Rows) ([]byte, error) {
	if !rows.Next() {
		return append(out, "null"...), nil
	}
	return append(out, rows.RawValues()[0]...), nil
}
