package bench

import (
	"fmt"
	"math/rand/v2"
)

// modeCase is a statement whose best plan depends on its parameters, or doesn't.
type modeCase struct {
	name, role, query string
	// variables makes those of one request.
	variables func(*rand.Rand) map[string]any
}

// parameter is a condition on tracks with a variable, and how its values are spread.
type parameter struct {
	name, declare, where string
	draw                 func(*rand.Rand) any
}

// mostly draws one of the usual values, and one of the unusual ones for so many of a hundred.
func mostly(percent int, usual, unusual func(*rand.Rand) any) func(*rand.Rand) any {
	return func(r *rand.Rand) any {
		if r.IntN(100) < percent {
			return unusual(r)
		}
		return usual(r)
	}
}

func between(from, to int) func(*rand.Rand) any {
	return func(r *rand.Rand) any { return from + r.IntN(to-from+1) }
}

// modeParameters are keys of few and of many rows, and ranges of all sizes. A third of all tracks
// are of genre 1, one of 200 of genre 24.
var modeParameters = []parameter{
	{"album", "$p: Int!", `album_id: {_eq: $p}`, between(1, 100_000)},
	{"genre", "$p: Int!", `genre_id: {_eq: $p}`, mostly(5, between(20, 25), between(1, 2))},
	{"genre_and_album", "$p: Int!, $q: Int!", `genre_id: {_eq: $q}, album_id: {_eq: $p}`, between(1, 100_000)},
	{"long", "$p: Int!", `duration_ms: {_gt: $p}`, mostly(5, between(579_000, 583_000), between(300_000, 400_000))},
	{"first_ids", "$p: Int!", `id: {_lt: $p}`, mostly(5, between(20, 60), between(5_000, 20_000))},
	{"ids", "$p: [Int!]!", `id: {_in: $p}`, func(r *rand.Rand) any {
		list := make([]int, 1+r.IntN(20))
		for i := range list {
			list[i] = 1 + r.IntN(1_000_000)
		}
		return list
	}},
	{"artist", "$p: Int!", `album: {artist_id: {_eq: $p}}`, between(1, 40_000)},
	{"sold", "$p: Int!", `invoice_lines: {invoice_id: {_eq: $p}}`, between(1, 200_000)},
}

// modeShapes are what is requested of these tracks.
var modeShapes = []struct{ name, declare, arguments, fields string }{
	{"rows", "", `order_by: {id: asc}, limit: 20`, `id name`},
	{"limit", "$limit: Int!", `order_by: {id: asc}, limit: $limit`, `id name`},
	{"sorted", "$limit: Int!", `order_by: [{duration_ms: desc}, {id: asc}], limit: $limit`, `id duration_ms`},
	{"any", "$limit: Int!", `limit: $limit`, `id`},
	{"related", "$limit: Int!", `order_by: {id: asc}, limit: $limit`, `id album { title artist { name } } genre { name }`},
	{"nodes", "$limit: Int!", `order_by: {id: asc}, limit: $limit`, ``},
	{"count", "", ``, ``},
}

// modeCases are all statements: each parameter with each shape, and those of roles.
func modeCases() []modeCase {
	var cases []modeCase
	for _, p := range modeParameters {
		for _, s := range modeShapes {
			declare := p.declare
			if s.declare != "" {
				declare += ", " + s.declare
			}
			field := fmt.Sprintf(`tracks(where: {%s}, %s) { %s }`, p.where, s.arguments, s.fields)
			switch s.name {
			case "nodes":
				field = fmt.Sprintf(`tracks_aggregate(where: {%s}, %s) { aggregate { count } nodes { id } }`, p.where, s.arguments)
			case "count":
				field = fmt.Sprintf(`tracks_aggregate(where: {%s}) { aggregate { count } }`, p.where)
			}
			limited := s.declare != ""
			cases = append(cases, modeCase{
				name: p.name + "/" + s.name, query: "query Q(" + declare + ") { r: " + field + " }",
				variables: func(r *rand.Rand) map[string]any {
					v := map[string]any{"p": p.draw(r)}
					if p.name == "genre_and_album" {
						v["q"] = 1 + r.IntN(25)
					}
					if limited {
						v["limit"] = []int{1, 10, 20}[r.IntN(3)]
					}
					return v
				},
			})
		}
	}
	total := func(r *rand.Rand) map[string]any {
		return map[string]any{"total": mostly(10, between(28, 30), between(1, 5))(r)}
	}
	limit := func(r *rand.Rand) map[string]any { return map[string]any{"limit": 1 + 9*r.IntN(3)} }
	return append(cases,
		modeCase{"customer/invoices", "customer", `query Q($total: numeric!) { r: invoices(where: {total: {_gt: $total}}, order_by: {id: asc}) { id total } }`, total},
		modeCase{"customer/lines", "customer", `query Q($limit: Int!) { r: invoice_lines(order_by: {id: asc}, limit: $limit) { id quantity track { name } } }`, limit},
		modeCase{"support/invoices", "support", `query Q($limit: Int!) { r: invoices(order_by: [{total: desc}, {id: asc}], limit: $limit) { id total } }`, limit},
		modeCase{"support/sum", "support", `query Q($total: numeric!) { r: invoices_aggregate(where: {total: {_gt: $total}}) { aggregate { count sum { total } } } }`, total},
	)
}
