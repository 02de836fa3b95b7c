package bigquery

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/answer"
	"queryengine/pkg/backend/input"
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/session"
)

// Source is a project and some of its datasets. It is safe for concurrent use.
type Source struct {
	client *client
	// scanned counts the bytes that queries read; nil counts nothing.
	scanned *backend.ScanMeter
}

// Measure implements backend.Measurable.
func (s *Source) Measure(m *backend.PoolMetrics, name string) { s.scanned = m.Scans(name) }

// Open opens a source; nothing is sent yet.
func Open(o Options) *Source {
	// Without a limit of its own: contexts have one.
	transport := http.DefaultTransport.(*http.Transport).Clone()
	return &Source{client: &client{options: o, http: &http.Client{Transport: transport}}}
}

// Close closes the connections that are idle.
func (s *Source) Close() { s.client.http.CloseIdleConnections() }

// Ping runs a trivial statement.
func (s *Source) Ping(ctx context.Context) error {
	const text = "SELECT 1 AS c0"
	_, err := s.run(ctx, queryRequest{Query: text, purpose: purposeIntrospection}, nil, func([]byte) error { return nil })
	return queryError(ctx, err, text)
}

// Query runs a statement of RenderQuery and appends the JSON of its root field to out, row by row. A statement that
// fails before any byte was handed on leaves out as it was.
func (s *Source) Query(ctx context.Context, st backend.Statement, a backend.Args, out *backend.Answer) error {
	stmt, err := statementFor(st, &a)
	if err != nil {
		return err
	}
	q, err := stmt.request(&a)
	if err != nil {
		return err
	}
	if a.Scan.Bounded() {
		if err := s.admit(ctx, q, a.Scan); err != nil {
			return queryError(ctx, err, stmt.text)
		}
	}
	mark, before := len(out.Buf), out.Sent()
	if err = s.answer(ctx, stmt, q, a.Scan, out); err == nil {
		return nil
	}
	if out.Sent() == before {
		out.Buf = out.Buf[:mark]
	}
	return queryError(ctx, err, stmt.text)
}

// admit has a dry run tell what a query would read, and refuses it when that is too much.
func (s *Source) admit(ctx context.Context, q queryRequest, scan *backend.Scan) error {
	n, err := s.dryRun(ctx, q)
	if err != nil {
		return err
	}
	return scan.Admit(n)
}

// request is the query of one run.
func (s *statement) request(a *backend.Args) (queryRequest, error) {
	parameters, err := s.parameters(a)
	q := queryRequest{Query: s.text, QueryParameters: parameters, Labels: labelsOf(a), purpose: purposeQuery}
	switch {
	case s.comment == nil:
	case s.comment.PerRequest:
		q.Query = s.comment.Wrap(s.text, a.RequestID)
	default:
		q.Query = s.comment.Wrap(s.text, "")
	}
	return q, err
}

func (s *Source) answer(ctx context.Context, stmt *statement, q queryRequest, scan *backend.Scan, out *backend.Answer) error {
	w := answer.Writer{Format: format{}}
	var cells [][]byte
	rows := 0
	if !stmt.one {
		out.Buf = append(out.Buf, '[')
	}
	_, err := s.run(ctx, q, scan, func(row []byte) error {
		rows++
		if stmt.one && rows > 1 {
			return nil
		}
		var ok bool
		if cells, _, ok = w.Format.Record(cells[:0], nil, row); !ok {
			return errMalformed
		}
		if rows > 1 {
			out.Buf = append(out.Buf, answer.Spaced.Comma...)
		}
		out.Buf = w.Row(out.Buf, stmt.shape, answer.Cells{Values: cells})
		if w.Err != nil {
			return w.Err
		}
		return caller(out.Flush())
	})
	switch {
	case err != nil:
		return err
	case !stmt.one:
		out.Buf = append(out.Buf, ']')
	case rows == 0:
		out.Buf = append(out.Buf, "null"...)
	}
	return nil
}

// Explain gives the text of a statement with its values instead of its parameters, and what a dry run says of
// its cost. Nothing is executed.
func (s *Source) Explain(ctx context.Context, st backend.Statement, a backend.Args) (string, []string, error) {
	stmt, err := statementFor(st, &a)
	if err != nil {
		return "", nil, err
	}
	q, err := stmt.request(&a)
	if err != nil {
		return "", nil, err
	}
	shown, err := stmt.shown(func(p sqltext.Param) (string, error) { return inlined(p, &a) })
	if err != nil {
		return "", nil, err
	}
	n, err := s.dryRun(ctx, q)
	if err != nil {
		return "", nil, queryError(ctx, err, stmt.text)
	}
	return shown, []string{"bytes processed: " + strconv.FormatInt(n, 10)}, nil
}

// inlined is a value as a literal, for people to read.
func inlined(p sqltext.Param, a *backend.Args) (string, error) {
	text, err := p.Resolve(a, input.ListText)
	if text == nil || err != nil {
		return "NULL", err
	}
	if !p.As.List {
		return literal(string(text), rowOf(p.As.Type)), nil
	}
	values, err := input.ListValues(text)
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = "NULL"
		if v != nil {
			list[i] = literal(string(v), rowOf(p.As.Type))
		}
	}
	return "[" + strings.Join(list, ", ") + "]", err
}

func literal(text string, row typeRow) string {
	switch row.family {
	case familyInteger:
		if _, err := strconv.ParseInt(text, 10, 64); err == nil {
			return text
		}
	case familyText, familyJSON, familyGeography, familyOpaque:
		return quoteText(text)
	}
	return "CAST(" + quoteText(text) + " AS " + row.name + ")"
}

// Mutate reports that BigQuery isn't written to.
func (s *Source) Mutate(context.Context, *session.Session, func(backend.Tx) error) error {
	return errReadOnly()
}

// RunSQL runs statements as they are. There is no transaction around them: the hooks are called before and after.
func (s *Source) RunSQL(ctx context.Context, r backend.RawSQL) (*backend.RawResult, error) {
	if r.ReadOnly {
		return nil, errReadOnlySQL()
	}
	if r.Before != nil {
		if err := r.Before(ctx, s.Introspect); err != nil {
			return nil, err
		}
	}
	result := &backend.RawResult{}
	var statement backend.RawStatement
	statement.Counts(0)
	columns, err := s.run(ctx, queryRequest{Query: r.SQL, purpose: purposeSQL}, nil, func(row []byte) error {
		cells, _, ok := (format{}).Record(nil, nil, row)
		if !ok {
			return errMalformed
		}
		if r.AllResults {
			statement.Returns(r, func() []json.RawMessage {
				line := make([]json.RawMessage, len(cells))
				for i, v := range cells {
					line[i] = answer.JSONOf(v, false)
				}
				return line
			})
			return nil
		}
		texts := make([]string, len(cells))
		for i, v := range cells {
			texts[i] = "NULL"
			if v != nil {
				texts[i] = string(v)
			}
		}
		result.Rows = append(result.Rows, texts)
		return nil
	})
	if err != nil {
		return nil, rawError(ctx, err, r.SQL)
	}
	header := make([]string, len(columns))
	for i, c := range columns {
		header[i] = c.Name
	}
	// A statement that gives no rows, as a definition of a table, has no columns.
	if statement.Columns = header; r.AllResults {
		result.Statements = []backend.RawStatement{statement}
	} else if len(columns) > 0 {
		result.Rows = append([][]string{header}, result.Rows...)
	}
	if r.Check != nil {
		return result, r.Check(ctx, s.Introspect)
	}
	return result, nil
}
