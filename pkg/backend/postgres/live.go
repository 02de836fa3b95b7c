package postgres

import (
	"fmt"
	"strconv"
	"strings"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/quote"
	"queryengine/pkg/backend/postgres/rowstream"
	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/backend/sqlrows"
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/ir"
)

// liveStatement is a subscription: a query that is joined laterally to the cohorts that it is
// run for.
type liveStatement struct {
	text    *rendered
	check   *rendered
	explain *rendered
	key     string
	// sql is the text without its comment.
	sql string
	// columns are the values of a cohort, roots the number of root fields.
	columns []sqltext.Param
	roots   int
	// cursor reports whether the result has a cursor behind the roots.
	cursor bool
	// start reads the value that the cursor begins at, which is column startAt.
	start   *rendered
	startAt int
	// seals encrypt what is marked in the roots.
	seals []ir.Sealer
	// stream is nil where only the statement gives the rows of a stream; seeing is the statement that tells what it has
	// seen.
	stream *rowstream.Stream
	seeing *rendered
	// apart are the statements of the roots where each cohort has its own run.
	apart []*statement
	// match is nil when any row of its table may matter to a cohort.
	match *liveMatch
	// session is what each cohort sets: its values are behind those of the columns.
	session *sessionSettings
	// readOnly has it run in transactions that only read.
	readOnly bool
}

// liveColumns are the values that differ between cohorts, as columns of "_subs". They come as
// arrays of texts and are made values in a sub-select of their own that PostgreSQL doesn't
// dissolve: once for each cohort, and not once for each row that they are compared with.
type liveColumns struct {
	params []sqltext.Param
	items  []string
	places map[string]int
}

// place is the index of a value among the columns.
func (c *liveColumns) place(p sqltext.Param, as sqltext.As) int {
	cast := spelling{}.Typed("", as)
	key := fmt.Sprintf("%d %d %q %s %s", p.Kind, p.Index, p.Name, cast, as.Wrap)
	if place, ok := c.places[key]; ok {
		return place
	}
	place := len(c.params)
	name := liveColumn(place)
	c.params = append(c.params, p)
	c.items = append(c.items, spelling{}.Wrapped(`"_in".`+name+cast, as)+" AS "+name)
	if c.places == nil {
		c.places = map[string]int{}
	}
	c.places[key] = place
	return place
}

func liveColumn(place int) string { return `"p` + strconv.Itoa(place) + `"` }

// column is the reference to a value.
func (c *liveColumns) column(p sqltext.Param, as sqltext.As) string {
	return `"_subs".` + liveColumn(c.place(p, as))
}

// subs is the relation of the cohorts; its arrays are the parameters behind the first ones.
func (c *liveColumns) subs(first int) string {
	arrays, names := make([]string, len(c.params)+1), make([]string, len(c.params)+1)
	arrays[0], names[0] = "$"+strconv.Itoa(first+1)+"::int4[]", `"result_id"`
	for i := range c.params {
		arrays[i+1] = "$" + strconv.Itoa(first+i+2) + "::text[]"
		names[i+1] = liveColumn(i)
	}
	items := append([]string{`"_in"."result_id"`}, c.items...)
	return "(SELECT " + strings.Join(items, ", ") + " FROM UNNEST(" + strings.Join(arrays, ", ") +
		`) AS "_in"(` + strings.Join(names, ", ") + `) OFFSET 0) AS "_subs"`
}

// RenderLive renders a subscription.
func (d *Dialect) RenderLive(l ir.Live, o backend.RenderOptions) (backend.LiveStatement, error) {
	r := newRenderer(d, o, mode{json: true})
	r.live = &liveColumns{}
	r.Shared = r.live.column
	items := []string{`"_subs"."result_id"`}
	var joins strings.Builder
	for i, root := range l.Roots {
		name := `"_f` + strconv.Itoa(i) + `"`
		items = append(items, name+`."root"`)
		joins.WriteString(" LEFT JOIN LATERAL (" + r.liveRoot(root, l.Cursor) + ") AS " + name + " ON TRUE")
	}
	if l.Cursor != nil {
		items = append(items, `"_f0"."cursor"`)
	}
	if r.Err != nil {
		return nil, fmt.Errorf("rendering a subscription: %w", r.Err)
	}
	subs := r.live.subs(len(r.Params))
	sql := "SELECT " + strings.Join(items, ", ") + " FROM " + subs + joins.String()
	s := &liveStatement{
		sql:     sql,
		text:    &rendered{Text: wire.Text{SQL: sql}, params: r.Params, zoned: r.zoned, mayWrite: r.mayWrite()},
		check:   &rendered{Text: wire.Text{SQL: "SELECT " + r.Dialect.Abilities().NoItem + " FROM (SELECT * FROM " + r.live.subs(0) + " OFFSET 0) AS \"_c\" WHERE \"_c\" IS NOT NULL", Once: true}},
		columns: r.live.params, roots: len(l.Roots), cursor: l.Cursor != nil, seals: r.seals, session: d.session,
	}
	if d.session == nil { // policies may hide rows that are in the log
		s.match, s.stream = matchOf(l, r.live.params), r.streamOf(l)
	}
	s.text.addComment(o.Comment)
	if s.stream != nil {
		items = append(items, seenItem)
		s.seeing = &rendered{Text: wire.Text{SQL: "SELECT " + strings.Join(items, ", ") + " FROM " + subs + joins.String()}, params: r.Params, zoned: r.zoned}
		s.seeing.addComment(o.Comment)
	}
	for i, p := range s.columns {
		if l.Cursor != nil && p.Kind == sqltext.ParamVariable && p.Index == l.Cursor.Variable {
			s.startAt = i
			s.start = &rendered{Text: wire.Text{SQL: `SELECT "_subs".` + liveColumn(i) + `::text FROM ` + r.live.subs(0), Once: true}}
		}
	}
	s.explain = &rendered{Text: wire.Text{SQL: "EXPLAIN " + sql, Once: true}, params: r.Params}
	// Subscriptions that only differ in the comment are run together, with that of the first one.
	var key strings.Builder
	key.WriteString(sql)
	for i := range r.Params {
		fmt.Fprintf(&key, "\x00%q", r.Params[i].Text)
	}
	for _, seal := range r.seals {
		fmt.Fprintf(&key, "\x00%q", seal.Name())
	}
	if d.session != nil {
		fmt.Fprintf(&key, "\x00%q", d.session.text)
	}
	s.key = key.String()
	if d.flat || d.plain {
		return s, s.renderApart(d, l, o, r.live)
	}
	return s, nil
}

// liveRoot renders a root field as one row with its JSON, and with where a stream gets to.
func (r *renderer) liveRoot(root ir.Root, cursor *ir.Cursor) string {
	s, ok := root.(*ir.Select)
	if cursor == nil || !ok {
		sql, _ := r.root(root)
		return sql
	}
	q, in := r.SelectRows(sqlrows.Relation{Rows: &s.Rows}, s.Fields)
	q.Items = []string{r.jsonObject(s.Fields, in, q) + ` AS "root"`, r.Column(in, cursor.Column) + `::text AS "cursor"`}
	return `SELECT coalesce(json_agg("root"), '[]') AS "root", (array_agg("cursor"))[count(*)] AS "cursor" FROM (` +
		r.Text(q) + `) AS "_root"`
}

// ReadOnly is the statement in transactions that only read, itself where it can't write.
func (s *liveStatement) ReadOnly() backend.LiveStatement {
	if !s.text.mayWrite && s.session == nil {
		return s
	}
	c := *s
	c.readOnly, c.key = true, c.key+"\x00read only"
	return &c
}

// SQL is the text, with parameters.
func (s *liveStatement) SQL() string { return s.sql }

// Key identifies a statement.
func (s *liveStatement) Key() string { return s.key }

// Columns are the values that differ between cohorts.
func (s *liveStatement) Columns() []backend.LiveColumn {
	list := make([]backend.LiveColumn, len(s.columns))
	for i, p := range s.columns {
		list[i] = backend.LiveColumn{Variable: -1, Session: p.Name}
		if p.Kind == sqltext.ParamVariable {
			list[i].Variable = p.Index
		}
	}
	if s.session != nil {
		for _, name := range s.session.sources() {
			list = append(list, backend.LiveColumn{Variable: -1, Session: name})
		}
	}
	return list
}

// Bind gives the values of a cohort.
func (s *liveStatement) Bind(a backend.Args) ([][]byte, error) {
	values := make([][]byte, len(s.columns))
	for i := range s.columns {
		var err error
		if values[i], err = s.columns[i].Resolve(&a, quote.Array); err != nil {
			return nil, err
		}
	}
	if s.session == nil {
		return values, nil
	}
	own, err := s.session.values(a.Session)
	return append(values, own...), err
}
