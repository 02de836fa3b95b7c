package bench

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// asCustomer is a customer of the sample, with a filter on each queried table.
const (
	asCustomer = "X-Engine-Role: customer\r\nX-Engine-Customer-Id: 5\r\n"
	asSupport  = "X-Engine-Role: support\r\nX-Engine-Employee-Id: 3\r\n"
	asRuled    = "X-Engine-Role: ruled\r\n"
)

// linesEach is the number of lines of an invoice of a nested insert.
const linesEach = 3

// manyRows is from how many rows on a request isn't sent by more than fewClients clients.
const (
	manyRows   = 10_000
	fewClients = 16
)

const (
	insertInvoices = `mutation I($objects: [invoices_insert_input!]!) { insert_invoices(objects: $objects) ` +
		`{ affected_rows returning { id total } } }`
	upsertInvoices = `mutation U($objects: [invoices_insert_input!]!) { insert_invoices(objects: $objects, ` +
		`on_conflict: {constraint: invoices_pkey, update_columns: [billing_city, total]}) { affected_rows } }`
	nestInvoices = `mutation N($objects: [invoices_insert_input!]!) { insert_invoices(objects: $objects) ` +
		`{ affected_rows returning { id } } }`
)

// writingQueries insert rows, update them where they are there, and insert rows with what
// belongs to them.
func writingQueries() []query {
	var all []query
	for _, n := range []struct {
		rows int
		name string
	}{{1, "1"}, {100, "100"}, {10_000, "10k"}} {
		goal, most := 0.9, 0
		if n.rows == 1 {
			goal = 0.8
		}
		if n.rows >= manyRows {
			most = fewClients
		}
		plain, nested := objects(n.rows, false), objects(n.rows, true)
		all = append(all,
			query{
				name: "I" + n.name, about: fmt.Sprintf("insert of rows: %d", n.rows), document: insertInvoices, write: true,
				variables: func(*client) string { return plain },
				mark:      `"id"`, count: n.rows, most: most, goalOne: goal, goalSplit: goal,
			},
			query{
				name: "U" + n.name, about: fmt.Sprintf("upsert of rows: %d", n.rows), document: upsertInvoices, write: true,
				variables: keyedObjects(n.rows),
				mark:      fmt.Sprintf(`"affected_rows" : %d}`, n.rows), count: 1, most: most, goalOne: goal, goalSplit: goal,
			},
			query{
				name: "N" + n.name, about: fmt.Sprintf("insert of rows with %d lines each: %d", linesEach, n.rows), document: nestInvoices, write: true,
				variables: func(*client) string { return nested },
				mark:      `"id"`, count: n.rows, most: most, goalOne: goal, goalSplit: goal,
			})
	}
	return all
}

// roleQueries are sent by roles that may see and write some rows only. The yardsticks have the
// same conditions in their statements.
func roleQueries() []query {
	plain, nested := objects(100, false), objects(100, true)
	none := func(*client) string { return `{}` }
	return []query{
		{
			name: "R1", about: "own rows, newest first", headers: asCustomer, variables: none,
			document: `query R1 { invoices(order_by: [{invoice_date: desc}, {id: desc}], limit: 5) { id invoice_date billing_city total } }`,
			mark:     `"billing_city"`, count: 5, goalOne: 0.95, goalSplit: 0.62,
		},
		{
			name: "R2", about: "own customers, their rows, and the lines of these", headers: asSupport, variables: none,
			document: `query R2 { customers(order_by: {id: asc}, limit: 5) { id last_name invoices(order_by: {id: asc}, limit: 10) ` +
				`{ id total lines(order_by: {id: asc}) { quantity unit_price } } } }`,
			mark: `"last_name"`, count: 5, goalOne: 1, goalSplit: 0.85,
		},
		ruled("R5", byName(plainQueries(nil), "Q4"), 1.00, 0.75),
		ruled("R6", byName(plainQueries(nil), "C2"), 1.30, 1.20),
		{
			name: "R3", about: "insert of rows that are checked: 100", headers: asCustomer, document: insertInvoices, write: true,
			variables: func(*client) string { return plain },
			mark:      `"id"`, count: 100, goalOne: 0.9, goalSplit: 0.9,
		},
		{
			name: "R4", about: fmt.Sprintf("insert of rows with %d lines each, all checked: 100", linesEach), headers: asCustomer,
			document: nestInvoices, write: true,
			variables: func(*client) string { return nested },
			mark:      `"id"`, count: 100, goalOne: 0.9, goalSplit: 0.9,
		},
	}
}

// ruled is a query of a role with three rules for tracks, which show different columns, and a mask.
func ruled(name string, q query, one, split float64) query {
	q.name, q.about, q.headers, q.goalOne, q.goalSplit = name, q.about+", as a role with three rules and a mask", asRuled, one, split
	return q
}

func byName(all []query, name string) query {
	return all[slices.IndexFunc(all, func(q query) bool { return q.name == name })]
}

// trackRules are the three rules.
const trackRules = `[{"name":"some genres","columns":"*","filter":{"genre_id":{"_in":[1,2,3]}}},
	{"name":"short","columns":["id","name","genre_id","album_id","media_type_id","duration_ms"],"mask":{"composer":"redact"},"filter":{"duration_ms":{"_lt":240000}}},
	{"name":"cheap","columns":["id","name","genre_id","album_id","media_type_id","duration_ms"],"filter":{"unit_price":{"_lte":"0.99"}}}]`

// rolePermissions are what roles of the sample may write besides, as metadata operations.
const rolePermissions = `{"type":"bulk","args":[
	{"type":"pg_create_select_permission","args":{"source":"default","table":"tracks","role":"ruled","permission":` + trackRules + `}},
	{"type":"pg_create_select_permission","args":{"source":"default","table":"playlists","role":"ruled","permission":{"columns":"*","filter":{}}}},
	{"type":"pg_create_select_permission","args":{"source":"default","table":"playlist_tracks","role":"ruled","permission":{"columns":"*","filter":{}}}},
	{"type":"pg_create_select_permission","args":{"source":"default","table":"genres","role":"ruled","permission":{"columns":"*","filter":{}}}},
	{"type":"pg_create_select_permission","args":{"source":"default","table":"albums","role":"ruled","permission":{"columns":"*","filter":{}}}},
	{"type":"pg_create_select_permission","args":{"source":"default","table":"artists","role":"ruled","permission":{"columns":"*","filter":{}}}},
	{"type":"pg_create_select_permission","args":{"source":"default","table":"media_types","role":"ruled","permission":{"columns":"*","filter":{}}}},
	{"type":"pg_create_insert_permission","args":{"source":"default","table":"invoices","role":"customer","permission":{
		"columns":"*","check":{"customer_id":{"_eq":"X-Engine-Customer-Id"}}}}},
	{"type":"pg_create_insert_permission","args":{"source":"default","table":"invoice_lines","role":"customer","permission":{
		"columns":"*","check":{"invoice":{"customer_id":{"_eq":"X-Engine-Customer-Id"}}}}}}]}`

// object is an invoice as clients send it.
func object(b *strings.Builder, i int) {
	fmt.Fprintf(b, `"customer_id":5,"invoice_date":"2026-01-%02dT00:00:00Z","billing_city":%q,"total":"%d.99"`,
		1+i%28, cities[i%len(cities)], i%100)
}

// objects are the variables of an insert of n invoices, which get their ids from the database.
func objects(n int, lines bool) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(",{")
		object(&b, i)
		if lines {
			b.WriteString(`,"lines":{"data":[`)
			for line := range linesEach {
				if line > 0 {
					b.WriteByte(',')
				}
				fmt.Fprintf(&b, `{"track_id":%d,"unit_price":"0.99","quantity":%d}`, 1+(i*linesEach+line)%3500, 1+line)
			}
			b.WriteString(`]}`)
		}
		b.WriteByte('}')
	}
	return `{"objects":[` + b.String()[1:] + `]}`
}

// keyedObjects are those of an upsert. Each client has rows of its own, which exist from its second
// request on.
func keyedObjects(n int) func(*client) string {
	var known sync.Map
	return func(c *client) string {
		text, ok := known.Load(c.number)
		if !ok {
			text, _ = known.LoadOrStore(c.number, keyed(n, firstUpserted+c.number*n))
		}
		return text.(string)
	}
}

func keyed(n, first int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,{"id":%d,`, first+i)
		object(&b, i)
		b.WriteByte('}')
	}
	return `{"objects":[` + b.String()[1:] + `]}`
}
