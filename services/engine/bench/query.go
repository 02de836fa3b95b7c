package bench

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
)

// query is one of the measured queries. Names of targets and goals are those of the
// design's table.
type query struct {
	name     string
	about    string
	document string
	encoded  []byte // the document as a JSON text
	// headers identify the caller, as lines of the request's head; empty is the admin.
	headers string
	// variables makes the variables of one request of a client, as a JSON object.
	variables func(*client) string
	// Each right answer contains the text mark this many times.
	mark  string
	count int
	// write queries change invoices and their lines.
	write bool
	// most bounds the clients, 0 is no bound: 64 requests of 10,000 rows each measure the
	// memory of the machine.
	most int
	// The goals are throughput against the json yardstick.
	goalOne, goalSplit float64
}

// client sends requests over one connection, one after the other.
type client struct {
	*rand.Rand
	number int // counted from 0
}

func newClient(number int, seed uint64) *client {
	return &client{Rand: rand.New(rand.NewPCG(seed, uint64(number))), number: number} //nolint:gosec // no secret
}

// firstNewInvoice is the first id that M1 inserts; rows from there on are removed before
// each slice of a query that writes.
const firstNewInvoice = 1_000_000

// The first ids of upserts, and of rows that get theirs from the database.
const (
	firstUpserted   = 100_000_000
	firstOfDatabase = 200_000_000
)

var (
	cities = []string{"Prague", "Oslo", "Lyon"}
	// manyTracks are the genres that have at least 20 tracks that are long enough for Q4.
	manyTracks = []int{1, 2, 3, 4, 6}
)

const playlistsByGenre = `query C($name: String!, $limit: Int = 1000) {
  playlist_containing_genre: playlists(
    order_by: {name: asc}
    where: {playlist_tracks: {track: {genre: {name: {_eq: $name}}}}}
  ) {
    name
    tracks_of_genre: playlist_tracks(where: {track: {genre: {name: {_eq: $name}}}}, limit: $limit) {
      track { name album { title artist { name } } media_type { name } }
    }
  }
}`

// queries are all queries. newInvoice gives the ids that M1 inserts.
func queries(newInvoice *atomic.Int64) []query {
	all := append(append(plainQueries(newInvoice), writingQueries()...), roleQueries()...)
	for i := range all {
		all[i].encoded, _ = json.Marshal(all[i].document) // a text always encodes
	}
	return all
}

func plainQueries(newInvoice *atomic.Int64) []query {
	none := func(*client) string { return `{}` }
	return []query{
		{
			name: "Q1", about: "one row by key",
			document:  `query Q1($id: Int!) { tracks_by_pk(id: $id) { id name composer duration_ms unit_price album_id } }`,
			variables: func(r *client) string { return fmt.Sprintf(`{"id":%d}`, 1+r.IntN(3500)) },
			mark:      `"duration_ms"`, count: 1, goalOne: 0.95, goalSplit: 0.62,
		},
		{
			name: "Q2", about: "20 rows of 5 columns",
			document:  `query Q2 { tracks(order_by: {id: asc}, limit: 20) { id name album_id duration_ms unit_price } }`,
			variables: none,
			mark:      `"duration_ms"`, count: 20, goalOne: 1.20, goalSplit: 0.68,
		},
		{
			name: "Q3", about: "50 artists, their albums, their tracks",
			document: `query Q3 { artists(order_by: {id: asc}, limit: 50) { id name albums(order_by: {id: asc}, limit: 10) ` +
				`{ id title tracks(order_by: {id: asc}, limit: 10) { id name duration_ms } } } }`,
			variables: none,
			mark:      `"duration_ms"`, count: 610, goalOne: 1.25, goalSplit: 1.00,
		},
		{
			name: "Q4", about: "filter, order and limit",
			document: `query Q4($genre: Int!, $min: Int!, $limit: Int!) { tracks(where: {genre_id: {_eq: $genre}, duration_ms: {_gt: $min}}, ` +
				`order_by: [{duration_ms: desc}, {id: asc}], limit: $limit) { id name composer duration_ms } }`,
			variables: func(r *client) string {
				return fmt.Sprintf(`{"genre":%d,"min":200000,"limit":20}`, manyTracks[r.IntN(len(manyTracks))])
			},
			mark: `"duration_ms"`, count: 20, goalOne: 1.20, goalSplit: 0.85,
		},
		{
			name: "Q5", about: "count of the rows that match",
			document: `query Q5($genre: Int!) { tracks_aggregate(where: {genre_id: {_eq: $genre}}) { aggregate { count } } }`,
			variables: func(r *client) string {
				return fmt.Sprintf(`{"genre":%d}`, manyTracks[r.IntN(len(manyTracks))])
			},
			mark: `"count"`, count: 1, goalOne: 1.00, goalSplit: 0.65,
		},
		{
			name: "Q6", about: "3,500 rows of 9 columns",
			document:  `query Q6 { tracks { id name album_id media_type_id genre_id composer duration_ms bytes unit_price } }`,
			variables: none,
			mark:      `"duration_ms"`, count: 3500, goalOne: 2.30, goalSplit: 1.90,
		},
		{
			name: "M1", about: "insert one row", write: true,
			document: `mutation M1($id: Int!, $city: String!) { insert_invoices_one(object: {id: $id, customer_id: 5, ` +
				`invoice_date: "2026-01-01T00:00:00Z", billing_city: $city, total: "9.99"}) { id total } }`,
			variables: func(r *client) string {
				return fmt.Sprintf(`{"id":%d,"city":%q}`, newInvoice.Add(1), cities[r.IntN(len(cities))])
			},
			mark: `"total"`, count: 1, goalOne: 0.95, goalSplit: 0.65,
		},
		{
			name: "M2", about: "update one row by key", write: true,
			document: `mutation M2($id: Int!, $city: String!) { update_invoices_by_pk(pk_columns: {id: $id}, ` +
				`_set: {billing_city: $city}) { id billing_city } }`,
			variables: func(r *client) string {
				return fmt.Sprintf(`{"id":%d,"city":%q}`, 1+r.IntN(400), cities[r.IntN(len(cities))])
			},
			mark: `"billing_city"`, count: 1, goalOne: 1.00, goalSplit: 0.65,
		},
		{
			name: "C2", about: "five tables, small answer",
			document:  playlistsByGenre,
			variables: func(*client) string { return `{"name":"Comedy","limit":1}` },
			mark:      `"title"`, count: 2, goalOne: 1.50, goalSplit: 1.35,
		},
		{
			name: "C3", about: "five tables, 40 KB",
			document:  playlistsByGenre,
			variables: func(*client) string { return `{"name":"Jazz","limit":1000}` },
			mark:      `"title"`, count: 300, goalOne: 1.10, goalSplit: 1.00,
		},
	}
}

// choose keeps the named queries, in the order of the table; none named are all.
func choose(all []query, names []string) ([]query, error) {
	if len(names) == 0 {
		return all, nil
	}
	var chosen []query
	for _, q := range all {
		if slices.Contains(names, q.name) {
			chosen = append(chosen, q)
		}
	}
	if len(chosen) != len(names) {
		return nil, fmt.Errorf("unknown query among %s", strings.Join(names, ","))
	}
	return chosen, nil
}
