package bench

// planCase is a query, and what an engineer would write for it by hand: a SELECT with one row
// for each item of the answer, whose columns are the item's keys.
type planCase struct {
	name  string
	role  string // admin when empty
	query string
	sql   string
}

// The session of the roles: see the sample's permissions.
var planSession = map[string]string{"X-Engine-Customer-Id": "7", "X-Engine-Employee-Id": "3"}

// planCases are on the sample's large size.
var planCases = []planCase{
	// One table.
	{
		"by_key", "", `{ r: tracks_by_pk(id: 4711) { id name composer } }`,
		`SELECT id, name, composer FROM tracks WHERE id = 4711`,
	},
	{
		"first_rows", "", `{ r: tracks(order_by: {id: asc}, limit: 50) { id name } }`,
		`SELECT id, name FROM tracks ORDER BY id LIMIT 50`,
	},
	{
		"filter", "", `{ r: tracks(where: {album_id: {_eq: 77}, duration_ms: {_gt: 100000}}, order_by: {id: asc}) { id name } }`,
		`SELECT id, name FROM tracks WHERE album_id = 77 AND duration_ms > 100000 ORDER BY id`,
	},
	{
		"filter_scan", "", `{ r: tracks(where: {duration_ms: {_gt: 480000}, name: {_ilike: "%love%"}}, order_by: {id: asc}) { id } }`,
		`SELECT id FROM tracks WHERE duration_ms > 480000 AND name ILIKE '%love%' ORDER BY id`,
	},
	{
		"or_of_keys", "", `{ r: tracks(where: {_or: [{album_id: {_in: [1, 2, 3]}}, {id: {_in: [9, 99, 999]}}]}, order_by: {id: asc}) { id } }`,
		`SELECT id FROM tracks WHERE album_id IN (1, 2, 3) OR id IN (9, 99, 999) ORDER BY id`,
	},
	{
		"distinct_on", "", `{ r: invoices(distinct_on: billing_country, order_by: [{billing_country: asc}, {total: desc}, {id: asc}]) { billing_country total } }`,
		`SELECT DISTINCT ON (billing_country) billing_country, total FROM invoices ORDER BY billing_country, total DESC, id`,
	},
	{
		"page", "", `{ r: invoices(order_by: [{total: desc}, {id: asc}], limit: 20, offset: 1000) { id total } }`,
		`SELECT id, total FROM invoices ORDER BY total DESC, id LIMIT 20 OFFSET 1000`,
	},
	// To one row.
	{
		"one_row", "", `{ r: tracks(where: {album_id: {_lt: 40}}, order_by: {id: asc}) { id album { title } } }`,
		`SELECT t.id, json_build_object('title', a.title) AS album FROM tracks t LEFT JOIN albums a ON a.id = t.album_id WHERE t.album_id < 40 ORDER BY t.id`,
	},
	{
		"two_steps", "", `{ r: tracks(order_by: {id: asc}, limit: 100) { id album { artist { name } } genre { name } } }`,
		`SELECT t.id, CASE WHEN a.id IS NOT NULL THEN json_build_object('artist', json_build_object('name', r.name)) END AS album,
			CASE WHEN g.id IS NOT NULL THEN json_build_object('name', g.name) END AS genre
		 FROM (SELECT * FROM tracks ORDER BY id LIMIT 100) t LEFT JOIN albums a ON a.id = t.album_id LEFT JOIN artists r ON r.id = a.artist_id
			LEFT JOIN genres g ON g.id = t.genre_id ORDER BY t.id`,
	},
	{
		"five_tables", "", `{ r: invoice_lines(where: {invoice_id: {_eq: 500}}, order_by: {id: asc}) { id track { name album { title artist { name } } } invoice { customer { last_name } } } }`,
		`SELECT l.id, json_build_object('name', t.name, 'album', CASE WHEN a.id IS NOT NULL THEN json_build_object('title', a.title, 'artist', json_build_object('name', r.name)) END) AS track,
			json_build_object('customer', json_build_object('last_name', c.last_name)) AS invoice
		 FROM invoice_lines l JOIN tracks t ON t.id = l.track_id LEFT JOIN albums a ON a.id = t.album_id LEFT JOIN artists r ON r.id = a.artist_id
			JOIN invoices i ON i.id = l.invoice_id JOIN customers c ON c.id = i.customer_id WHERE l.invoice_id = 500 ORDER BY l.id`,
	},
	{
		"many_to_one", "", `{ r: invoices(where: {total: {_gt: 25}}, order_by: {id: asc}) { id customer { last_name support_rep { last_name } } } }`,
		`SELECT i.id, json_build_object('last_name', c.last_name, 'support_rep', CASE WHEN e.id IS NOT NULL THEN json_build_object('last_name', e.last_name) END) AS customer
		 FROM invoices i JOIN customers c ON c.id = i.customer_id LEFT JOIN employees e ON e.id = c.support_rep_id WHERE i.total > 25 ORDER BY i.id`,
	},
	// To lists.
	{
		"lists", "", `{ r: albums(order_by: {id: asc}, limit: 100) { id tracks(order_by: {id: asc}) { name } } }`,
		`SELECT a.id, (SELECT coalesce(json_agg(json_build_object('name', t.name) ORDER BY t.id), '[]') FROM tracks t WHERE t.album_id = a.id) AS tracks
		 FROM albums a ORDER BY a.id LIMIT 100`,
	},
	{
		"lists_of_lists", "", `{ r: artists(order_by: {id: asc}, limit: 50) { name albums(order_by: {id: asc}) { title tracks(order_by: {id: asc}) { id } } } }`,
		`SELECT r.name, (SELECT coalesce(json_agg(json_build_object('title', a.title, 'tracks',
			(SELECT coalesce(json_agg(json_build_object('id', t.id) ORDER BY t.id), '[]') FROM tracks t WHERE t.album_id = a.id)) ORDER BY a.id), '[]')
			FROM albums a WHERE a.artist_id = r.id) AS albums FROM artists r ORDER BY r.id LIMIT 50`,
	},
	{
		"first_of_lists", "", `{ r: albums(where: {artist_id: {_lt: 60}}, order_by: {id: asc}) { id tracks(order_by: [{duration_ms: desc}, {id: asc}], limit: 2) { id } } }`,
		`SELECT a.id, (SELECT coalesce(json_agg(json_build_object('id', t.id)), '[]') FROM
			(SELECT t.id FROM tracks t WHERE t.album_id = a.id ORDER BY t.duration_ms DESC, t.id LIMIT 2) t) AS tracks
		 FROM albums a WHERE a.artist_id < 60 ORDER BY a.id`,
	},
	{
		"list_with_one", "", `{ r: playlists(order_by: {id: asc}, limit: 5) { id playlist_tracks(order_by: {track_id: asc}) { track { name } } } }`,
		`SELECT p.id, (SELECT coalesce(json_agg(json_build_object('track', json_build_object('name', t.name)) ORDER BY x.track_id), '[]')
			FROM playlist_tracks x JOIN tracks t ON t.id = x.track_id WHERE x.playlist_id = p.id) AS playlist_tracks
		 FROM playlists p ORDER BY p.id LIMIT 5`,
	},
	{
		"list_filtered_by_one", "", `{ r: playlists(order_by: {id: asc}, limit: 5) { id playlist_tracks(where: {track: {duration_ms: {_gt: 400000}}}, order_by: {track_id: asc}) { track_id } } }`,
		`SELECT p.id, (SELECT coalesce(json_agg(json_build_object('track_id', x.track_id) ORDER BY x.track_id), '[]')
			FROM playlist_tracks x JOIN tracks t ON t.id = x.track_id WHERE x.playlist_id = p.id AND t.duration_ms > 400000) AS playlist_tracks
		 FROM playlists p ORDER BY p.id LIMIT 5`,
	},
	// Conditions on related rows.
	{
		"where_one", "", `{ r: tracks(where: {album: {artist_id: {_eq: 99}}}, order_by: {id: asc}) { id } }`,
		`SELECT t.id FROM tracks t JOIN albums a ON a.id = t.album_id WHERE a.artist_id = 99 ORDER BY t.id`,
	},
	{
		"where_two_steps", "", `{ r: tracks(where: {album: {artist: {name: {_eq: "nobody"}}}}, order_by: {id: asc}) { id } }`,
		`SELECT t.id FROM tracks t JOIN albums a ON a.id = t.album_id JOIN artists r ON r.id = a.artist_id WHERE r.name = 'nobody' ORDER BY t.id`,
	},
	{
		"where_many", "", `{ r: albums(where: {tracks: {duration_ms: {_gt: 590000}}}, order_by: {id: asc}) { id } }`,
		`SELECT a.id FROM albums a WHERE EXISTS (SELECT FROM tracks t WHERE t.album_id = a.id AND t.duration_ms > 590000) ORDER BY a.id`,
	},
	{
		"where_not_many", "", `{ r: artists(where: {_not: {albums: {}}}, order_by: {id: asc}) { id } }`,
		`SELECT r.id FROM artists r WHERE NOT EXISTS (SELECT FROM albums a WHERE a.artist_id = r.id) ORDER BY r.id`,
	},
	{
		"where_either", "", `{ r: tracks(where: {_or: [{genre: {name: {_eq: "Jazz"}}}, {album: {artist_id: {_eq: 5}}}], id: {_lt: 20000}}, order_by: {id: asc}) { id } }`,
		`SELECT t.id FROM tracks t LEFT JOIN genres g ON g.id = t.genre_id LEFT JOIN albums a ON a.id = t.album_id
		 WHERE t.id < 20000 AND (g.name = 'Jazz' OR a.artist_id = 5) ORDER BY t.id`,
	},
	{
		"where_aggregate", "", `{ r: albums(where: {artist_id: {_lt: 500}, tracks_aggregate: {count: {predicate: {_gt: 14}}}}, order_by: {id: asc}) { id } }`,
		`SELECT a.id FROM albums a WHERE a.artist_id < 500 AND (SELECT count(*) FROM tracks t WHERE t.album_id = a.id) > 14 ORDER BY a.id`,
	},
	{
		"where_and_field", "", `{ r: tracks(where: {album: {released: {_gt: "2023-06-01"}}}, order_by: {id: asc}, limit: 50) { id album { title } } }`,
		`SELECT t.id, json_build_object('title', a.title) AS album FROM tracks t JOIN albums a ON a.id = t.album_id WHERE a.released > '2023-06-01' ORDER BY t.id LIMIT 50`,
	},
	// Orders by related rows.
	{
		"order_by_one", "", `{ r: albums(where: {id: {_lt: 20000}}, order_by: [{artist: {name: asc}}, {id: asc}], limit: 20) { id } }`,
		`SELECT a.id FROM albums a LEFT JOIN artists r ON r.id = a.artist_id WHERE a.id < 20000 ORDER BY r.name, a.id LIMIT 20`,
	},
	{
		"order_by_two_steps", "", `{ r: tracks(where: {genre_id: {_eq: 3}}, order_by: [{album: {artist: {name: desc}}}, {id: asc}], limit: 20) { id } }`,
		`SELECT t.id FROM tracks t LEFT JOIN albums a ON a.id = t.album_id LEFT JOIN artists r ON r.id = a.artist_id WHERE t.genre_id = 3 ORDER BY r.name DESC, t.id LIMIT 20`,
	},
	{
		"order_by_one_and_field", "", `{ r: albums(where: {id: {_lt: 20000}}, order_by: [{artist: {name: asc}}, {id: asc}], limit: 20) { id artist { name } } }`,
		`SELECT a.id, json_build_object('name', r.name) AS artist FROM albums a LEFT JOIN artists r ON r.id = a.artist_id WHERE a.id < 20000 ORDER BY r.name, a.id LIMIT 20`,
	},
	{
		"order_by_count", "", `{ r: artists(where: {id: {_lt: 2000}}, order_by: [{albums_aggregate: {count: desc}}, {id: asc}], limit: 10) { name } }`,
		`SELECT r.name FROM artists r WHERE r.id < 2000 ORDER BY (SELECT count(*) FROM albums a WHERE a.artist_id = r.id) DESC, r.id LIMIT 10`,
	},
	{
		"order_by_max", "", `{ r: albums(where: {id: {_lt: 5000}}, order_by: [{tracks_aggregate: {max: {duration_ms: desc_nulls_last}}}, {id: asc}], limit: 10) { id } }`,
		`SELECT a.id FROM albums a WHERE a.id < 5000 ORDER BY (SELECT max(t.duration_ms) FROM tracks t WHERE t.album_id = a.id) DESC NULLS LAST, a.id LIMIT 10`,
	},
	// Aggregates.
	{
		"count", "", `{ r: tracks_aggregate { aggregate { count } } }`,
		`SELECT json_build_object('count', count(*)) AS aggregate FROM tracks`,
	},
	{
		"aggregates", "", `{ r: tracks_aggregate(where: {genre_id: {_eq: 7}}) { aggregate { count avg { duration_ms } max { unit_price } } } }`,
		`SELECT json_build_object('count', count(*), 'avg', json_build_object('duration_ms', avg(duration_ms)), 'max', json_build_object('unit_price', max(unit_price))) AS aggregate
		 FROM tracks WHERE genre_id = 7`,
	},
	{
		"aggregate_where_one", "", `{ r: invoice_lines_aggregate(where: {track: {genre_id: {_eq: 4}}}) { aggregate { sum { quantity } } } }`,
		`SELECT json_build_object('sum', json_build_object('quantity', sum(l.quantity))) AS aggregate FROM invoice_lines l JOIN tracks t ON t.id = l.track_id WHERE t.genre_id = 4`,
	},
	{
		"count_distinct", "", `{ r: invoices_aggregate { aggregate { count(columns: billing_city, distinct: true) } } }`,
		`SELECT json_build_object('count', count(DISTINCT billing_city)) AS aggregate FROM invoices`,
	},
	{
		"aggregates_of_lists", "", `{ r: albums(order_by: {id: asc}, limit: 200) { id tracks_aggregate { aggregate { count sum { duration_ms } } } } }`,
		`SELECT a.id, (SELECT json_build_object('aggregate', json_build_object('count', count(*), 'sum', json_build_object('duration_ms', sum(t.duration_ms))))
			FROM tracks t WHERE t.album_id = a.id) AS tracks_aggregate FROM albums a ORDER BY a.id LIMIT 200`,
	},
	{
		"aggregate_and_nodes", "", `{ r: tracks_aggregate(where: {album_id: {_lt: 100}}, order_by: {id: asc}) { aggregate { count } nodes { id } } }`,
		`SELECT json_build_object('count', count(*)) AS aggregate, coalesce(json_agg(json_build_object('id', id) ORDER BY id), '[]') AS nodes FROM tracks WHERE album_id < 100`,
	},
	// Under permissions.
	{
		"own_rows", "customer", `{ r: invoices(order_by: {id: asc}) { id total } }`,
		`SELECT id, total FROM invoices WHERE customer_id = 7 ORDER BY id LIMIT 100`,
	},
	{
		"rows_of_own", "customer", `{ r: invoice_lines(order_by: {id: asc}) { id quantity } }`,
		`SELECT l.id, l.quantity FROM invoice_lines l JOIN invoices i ON i.id = l.invoice_id WHERE i.customer_id = 7 ORDER BY l.id LIMIT 100`,
	},
	{
		"deep_rule", "support", `{ r: invoice_lines(order_by: {id: asc}, limit: 100) { id } }`,
		`SELECT l.id FROM invoice_lines l JOIN invoices i ON i.id = l.invoice_id JOIN customers c ON c.id = i.customer_id WHERE c.support_rep_id = 3 ORDER BY l.id LIMIT 100`,
	},
	{
		"deep_rule_twice", "support", `{ r: customers(order_by: {id: asc}) { id invoices(order_by: {id: asc}) { id lines(order_by: {id: asc}) { quantity } } } }`,
		`SELECT c.id, (SELECT coalesce(json_agg(json_build_object('id', i.id, 'lines',
			(SELECT coalesce(json_agg(json_build_object('quantity', l.quantity) ORDER BY l.id), '[]') FROM invoice_lines l WHERE l.invoice_id = i.id)) ORDER BY i.id), '[]')
			FROM invoices i WHERE i.customer_id = c.id) AS invoices FROM customers c WHERE c.support_rep_id = 3 ORDER BY c.id`,
	},
	{
		"deep_rule_aggregate", "support", `{ r: invoice_lines_aggregate { aggregate { sum { quantity } count } } }`,
		`SELECT json_build_object('sum', json_build_object('quantity', sum(l.quantity)), 'count', count(*)) AS aggregate
		 FROM invoice_lines l JOIN invoices i ON i.id = l.invoice_id JOIN customers c ON c.id = i.customer_id WHERE c.support_rep_id = 3`,
	},
	{
		"deep_rule_and_where", "support", `{ r: tracks(where: {invoice_lines: {quantity: {_gt: 1}}}, order_by: {id: asc}, limit: 30) { id } }`,
		`SELECT t.id FROM tracks t WHERE EXISTS (SELECT FROM invoice_lines l JOIN invoices i ON i.id = l.invoice_id JOIN customers c ON c.id = i.customer_id
			WHERE l.track_id = t.id AND l.quantity > 1 AND c.support_rep_id = 3) ORDER BY t.id LIMIT 30`,
	},
}
