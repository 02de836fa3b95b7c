package postgres

import (
	"fmt"
	"slices"
	"sync"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/answer"
	"queryengine/pkg/backend/postgres/encode"
	"queryengine/pkg/backend/postgres/quote"
	"queryengine/pkg/backend/postgres/schedule"
	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/backend/sqlrows"
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// statement is a rendered plan.
//
// It has one text for sessions whose time zone is UTC, where the engine itself writes
// instants, and when it holds instants another one, made when it is first needed, for
// sessions that have another zone: there the database writes them, since it alone knows its
// rules of time zones.
type statement struct {
	render func(mode) (*rendered, error)
	utc    *rendered
	local  func() (*rendered, error)
	// variants are its texts for limits that occur, nil for a statement that is one.
	variants *variants
}

// mode is what a text is rendered for.
type mode struct {
	// json leaves all JSON to the database. It is the form that all others are held to.
	json bool
	// local is for sessions whose time zone isn't UTC.
	local bool
	// limits are variables that are limits, as literals.
	limits map[int]string
	// inline writes parameters as literals; nil binds them.
	inline func(p sqltext.Param) (literal string, err error)
}

// rendered is one text of a statement, and how to read its result.
type rendered struct {
	wire.Text
	// cost and stable are those of schedule.Job.
	cost   *schedule.Cost
	stable bool
	params []sqltext.Param
	reply  reply
	// mayWrite reports whether a statement that reads calls something that could write: a function, a native query, or what a
	// view calls.
	mayWrite bool
	// zoned reports whether the result holds instants.
	zoned bool
	// plain reports whether records are arrays of JSON.
	plain bool
	// limits are the variables that are limits, in ascending order.
	limits []int
	// comment is the one that each run adds, nil for none.
	comment *backend.Comment
}

// reply describes the rows of a result.
type reply struct {
	kind  replyKind
	shape *answer.Shape // of a query
	// cursor is the column with the cursor of a stream.
	cursor int
	// handed, check and output are of a mutation: what Tx.Exec hands out, which column has the result of
	// the check (-1 for none), and what Tx.Query writes.
	handed answer.Handed
	check  int
	output answer.Output
	// formats are those of the columns for Tx.Exec, nil where all are text: objects are made of binary ones.
	formats []int16
	// least is how many rows a mutation gives back if it does what it should; 0 where that isn't known. CockroachDB may give back none of
	// an upsert (cockroachdb/cockroach#105640), and what isn't given back isn't checked.
	least int
}

type replyKind uint8

const (
	replyList     replyKind = iota // a list of rows
	replyOne                       // the first row, or null
	replyMutation                  // what a mutation gives back
	replyStream                    // a list of rows with a cursor
)

// RenderQuery renders one root field.
func (d *Dialect) RenderQuery(root ir.Root, o backend.RenderOptions) (backend.Statement, error) {
	if d.flat {
		if one, each, ok := eachKeyOf(root); ok {
			var err error
			each.statement, err = d.renderQuery(one, o)
			return each, err
		}
	}
	return d.renderQuery(root, o)
}

func (d *Dialect) renderQuery(root ir.Root, o backend.RenderOptions) (*statement, error) {
	return newStatement(func(m mode) (*rendered, error) {
		r := newRenderer(d, o, m)
		sql, a := r.root(root)
		text, err := r.finish(sql, a)
		if err != nil || r.Calls { // a function may take any time, and not be one that can run twice
			return text, err
		}
		if d.shares {
			text.cost = &schedule.Cost{}
			text.stable = !r.Unstored
		}
		return text, nil
	})
}

func newStatement(render func(mode) (*rendered, error)) (*statement, error) {
	utc, err := render(mode{})
	if err != nil {
		return nil, err
	}
	s := &statement{render: render, utc: utc}
	if len(utc.limits) > 0 {
		s.variants = &variants{}
	}
	s.local = sync.OnceValues(func() (*rendered, error) { return render(mode{local: true}) })
	return s, nil
}

// SQL is the text, with parameters.
func (s *statement) SQL() string { return s.utc.SQL }

// textFor is the text for a session.
func (s *statement) textFor(utc bool) (*rendered, error) {
	if utc || !s.utc.zoned {
		return s.utc, nil
	}
	return s.local()
}

// renderer turns one plan into one text. It stops at nothing: the first fault stays in Err.
type renderer struct {
	sqlrows.Renderer
	flavor  *Dialect
	options backend.RenderOptions
	mode    mode
	zoned   bool
	// once reports whether the text isn't to be kept prepared.
	once bool
	// live, when set, holds the values that differ between the cohorts of a subscription.
	live *liveColumns
	// seals encrypt ids and cursors in the JSON that the database makes.
	seals []ir.Sealer
}

func newRenderer(d *Dialect, o backend.RenderOptions, m mode) *renderer {
	r := &renderer{flavor: d, options: o, mode: m}
	r.Spelling, r.Strategy, r.Dialect = spelling{d}, r, r
	r.Inline, r.Limits = m.inline, m.limits
	return r
}

func (r *renderer) finish(sql string, a reply) (*rendered, error) {
	if r.Err != nil {
		return nil, fmt.Errorf("rendering a plan: %w", r.Err)
	}
	text := &rendered{Text: wire.Text{SQL: sql, Once: r.once}, params: r.Params, reply: a, zoned: r.zoned, mayWrite: r.mayWrite(), plain: r.flavor.plain, limits: slices.Compact(slices.Sorted(slices.Values(r.LimitVariables)))}
	if r.mode.inline == nil { // people who read it know what they have asked
		text.addComment(r.options.Comment)
	}
	return text, nil
}

func (r *renderer) mayWrite() bool { return r.Calls || r.Unstored }

// root renders a root field. Made by the database, its result is one row with one column.
func (r *renderer) root(root ir.Root) (string, reply) {
	if r.mode.json {
		return r.jsonRoot(root), reply{kind: replyOne, shape: answer.Whole(encode.JSON)}
	}
	text, shape, one := r.Root(root)
	kind := replyList
	if one {
		kind = replyOne
	}
	return text, reply{kind: kind, shape: shape}
}

// typeName spells a type for a cast. Domains are cast to their base type: whether a value
// fits the domain shows when it is stored.
func typeName(t catalog.Type) string {
	name := quote.Name(t.Name)
	if plainName(t.Name) {
		name = t.Name
	}
	if t.Schema != "" {
		name = quote.Name(t.Schema) + "." + quote.Name(t.Name)
	}
	if t.IsArray() {
		if t.ElementDomain != nil {
			name = quote.Qualified(*t.ElementDomain)
		}
		name += "[]"
	}
	return name
}

// plainName reports whether a built-in type needs no quotes. Without them, char and bit would
// mean another type.
func plainName(name string) bool {
	for i := range len(name) {
		c := name[i]
		if c != '_' && (c < 'a' || c > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != "" && name != "char" && name != "bit"
}
