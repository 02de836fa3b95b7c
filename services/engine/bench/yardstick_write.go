package bench

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// invoice is an object of the variables of a query that writes.
type invoice struct {
	ID         int32     `json:"id"`
	CustomerID int32     `json:"customer_id"`
	Date       time.Time `json:"invoice_date"`
	City       string    `json:"billing_city"`
	Total      string    `json:"total"`
	Lines      struct {
		Data []invoiceLine `json:"data"`
	} `json:"lines"`
}

type invoiceLine struct {
	TrackID   int32  `json:"track_id"`
	UnitPrice string `json:"unit_price"`
	Quantity  int32  `json:"quantity"`
}

// customerOfRole is the customer of asCustomer.
const customerOfRole = 5

const (
	insertRows = `INSERT INTO invoices (customer_id, invoice_date, billing_city, total)
		SELECT * FROM unnest($1::int[], $2::timestamptz[], $3::text[], $4::text[]::numeric[])`
	insertLines = `INSERT INTO invoice_lines (invoice_id, track_id, unit_price, quantity)
		SELECT * FROM unnest($1::int[], $2::int[], $3::text[]::numeric[], $4::int[])`
	insertAndAnswer = `WITH i AS (` + insertRows + ` RETURNING id, total)
		SELECT json_build_object('affected_rows', count(*),
			'returning', coalesce(json_agg(json_build_object('id', id, 'total', total)), '[]')) FROM i`
	upsertAndAnswer = `WITH i AS (INSERT INTO invoices (id, customer_id, invoice_date, billing_city, total)
			SELECT * FROM unnest($1::int[], $2::int[], $3::timestamptz[], $4::text[], $5::text[]::numeric[])
			ON CONFLICT (id) DO UPDATE SET billing_city = EXCLUDED.billing_city, total = EXCLUDED.total RETURNING 1)
		SELECT json_build_object('affected_rows', count(*)) FROM i`
)

// writeStatements are those of the queries that write many rows, by their first letter: their
// number is no part of them.
var writeStatements = map[byte]statement{
	'I': {
		sql: insertAndAnswer, args: invoiceColumns,
		head: `{"data":{"insert_invoices":`, tail: `}}`, encode: oneValue,
	},
	'U': {
		sql: upsertAndAnswer, args: keyedColumns,
		head: `{"data":{"insert_invoices":`, tail: `}}`, encode: oneValue,
	},
	'N': {run: nestedInsert},
}

func invoiceColumns(p parameters) []any { return keyedColumns(p)[1:] }

func keyedColumns(p parameters) []any {
	n := len(p.Objects)
	ids, customers, dates := make([]int32, n), make([]int32, n), make([]time.Time, n)
	cities, totals := make([]string, n), make([]string, n)
	for i := range p.Objects {
		o := &p.Objects[i]
		ids[i], customers[i], dates[i], cities[i], totals[i] = o.ID, o.CustomerID, o.Date, o.City, o.Total
	}
	return []any{ids, customers, dates, cities, totals}
}

// nestedInsert writes invoices and then their lines, in one transaction of two round trips.
func nestedInsert(ctx context.Context, pool *pgxpool.Pool, p parameters, out []byte) ([]byte, error) {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return out, err
	}
	defer conn.Release()
	first := &pgx.Batch{}
	first.Queue("BEGIN")
	first.Queue(insertRows+` RETURNING id`, invoiceColumns(p)...)
	results := conn.SendBatch(ctx, first)
	ids, err := insertedIDs(results)
	if err = errors.Join(err, results.Close()); err == nil {
		second := &pgx.Batch{}
		second.Queue(insertLines, lineColumns(p, ids)...)
		second.Queue("COMMIT")
		err = conn.SendBatch(ctx, second).Close()
	}
	if err != nil {
		return out, errors.Join(err, conn.Conn().Close(ctx)) // with it the transaction
	}
	lines := 0
	out = append(out, `{"data":{"insert_invoices":{"returning":[`...)
	for i, id := range ids {
		if i > 0 {
			out = append(out, ',')
		}
		out = strconv.AppendInt(append(out, `{"id":`...), int64(id), 10)
		out = append(out, '}')
		lines += len(p.Objects[i].Lines.Data)
	}
	out = strconv.AppendInt(append(out, `],"affected_rows":`...), int64(len(ids)+lines), 10)
	return append(out, `}}}`...), nil
}

func insertedIDs(results pgx.BatchResults) ([]int32, error) {
	if _, err := results.Exec(); err != nil {
		return nil, err
	}
	rows, err := results.Query()
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[int32])
}

// lineColumns are the lines of all invoices, whose ids come in their order.
func lineColumns(p parameters, ids []int32) []any {
	var invoices, tracks, quantities []int32
	var prices []string
	for i := range p.Objects {
		for _, l := range p.Objects[i].Lines.Data {
			invoices, tracks = append(invoices, ids[i]), append(tracks, l.TrackID)
			prices, quantities = append(prices, l.UnitPrice), append(quantities, l.Quantity)
		}
	}
	return []any{invoices, tracks, prices, quantities}
}

// roleStatements have the conditions of the role in them.
var roleStatements = map[string]statement{
	"R1": {
		sql: `SELECT coalesce(json_agg(json_build_object('id', id, 'invoice_date', invoice_date, 'billing_city', billing_city,
			'total', total)), '[]')
			FROM (SELECT * FROM invoices WHERE customer_id = $1 ORDER BY invoice_date DESC, id DESC LIMIT 5) i`,
		args: func(parameters) []any { return []any{int32(customerOfRole)} },
		head: `{"data":{"invoices":`, tail: `}}`, encode: oneValue,
	},
	"R2": {
		sql: `SELECT coalesce(json_agg(json_build_object('id', id, 'last_name', last_name, 'invoices', (
				SELECT coalesce(json_agg(json_build_object('id', id, 'total', total, 'lines', (
					SELECT coalesce(json_agg(json_build_object('quantity', quantity, 'unit_price', unit_price) ORDER BY id), '[]')
					FROM invoice_lines WHERE invoice_id = i.id
				))), '[]')
				FROM (SELECT id, total FROM invoices WHERE customer_id = c.id ORDER BY id LIMIT 10) i
			))), '[]')
			FROM (SELECT id, last_name FROM customers WHERE support_rep_id = $1 ORDER BY id LIMIT 5) c`,
		args: func(parameters) []any { return []any{int32(3)} },
		head: `{"data":{"customers":`, tail: `}}`, encode: oneValue,
	},
	"R5": {
		sql: `SELECT coalesce(json_agg(json_build_object('id', id, 'name', name, 'composer', composer,
			'duration_ms', duration_ms)), '[]')
			FROM (SELECT id, name, duration_ms, CASE WHEN genre_id IN (1, 2, 3) THEN composer WHEN duration_ms < 240000 THEN '***' END AS composer
				FROM tracks WHERE genre_id = $1 AND duration_ms > $2 AND ` + seenTracks("tracks") + `
				ORDER BY duration_ms DESC, id LIMIT $3) t`,
		args: func(p parameters) []any { return []any{p.Genre, p.Min, p.Limit} },
		head: `{"data":{"tracks":`, tail: `}}`, encode: oneValue,
	},
	"R6": {
		sql: strings.NewReplacer("WHERE pt.playlist_id = p.id\n", "WHERE pt.playlist_id = p.id AND "+seenTracks("t")+"\n",
			"WHERE pt.playlist_id = p.id AND", "WHERE pt.playlist_id = p.id AND "+seenTracks("t")+" AND").Replace(jsonPlaylistsByGenre),
		args: func(p parameters) []any { return []any{p.Name, p.Limit} },
		head: `{"data":{"playlist_containing_genre":`, tail: `}}`, encode: oneValue,
	},
	"R3": {
		allowed: ownObjects, sql: insertAndAnswer, args: invoiceColumns,
		head: `{"data":{"insert_invoices":`, tail: `}}`, encode: oneValue,
	},
	"R4": {allowed: ownObjects, run: nestedInsert},
}

// seenTracks is the condition of trackRules.
func seenTracks(t string) string {
	return "(" + t + ".genre_id IN (1, 2, 3) OR " + t + ".duration_ms < 240000 OR " + t + ".unit_price <= 0.99)"
}

// ownObjects reports whether the role may insert these rows; their lines are theirs.
func ownObjects(p parameters) bool {
	for i := range p.Objects {
		if p.Objects[i].CustomerID != customerOfRole {
			return false
		}
	}
	return true
}

// statementOf finds the hand-written form of a query.
func statementOf(kind, name string) (statement, bool) {
	if kind == "rows" {
		s, ok := rowsStatements[name]
		return s, ok
	}
	if s, ok := jsonStatements[name]; ok {
		return s, true
	}
	if s, ok := roleStatements[name]; ok {
		return s, true
	}
	if name == "" {
		return statement{}, false
	}
	s, ok := writeStatements[name[0]]
	return s, ok
}
