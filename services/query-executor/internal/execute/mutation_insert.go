package execute

import (
	"context"
	"slices"
	"strconv"
	"sync"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/answer"
	"queryengine/pkg/ir"
	"queryengine/services/query-executor/internal/budget"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/plan/insert"
	"queryengine/services/query-executor/internal/plan/write"
)

// insertion is an insert whose statements are rendered as the rows of requests ask for them.
type insertion struct {
	*write.Write
	Insert  *write.Insert
	options backend.RenderOptions
	// reply is made when it is first needed.
	reply func() (*reply, error)

	mu         sync.Mutex
	statements map[string]backend.Statement // by InsertStatement.Key and what it gives back
	orders     map[string]*insertOrder      // by the nodes that have rows
	// confirmations are made when they are first needed: those of inserted rows, and of updated ones.
	confirmations map[confirmed]*confirmation
}

// confirmed are rows of a node that a confirmation is about.
type confirmed struct {
	node    int
	updated bool
	// columns are Statement.RuledColumns.
	columns string
}

// What a statement of an insert gives back, in the keys of statements.
const (
	givesAnswer  = 'a'
	givesKeys    = 'k'
	givesNothing = 'n'
)

// maxStatements bounds the statements of one insert. Each set of columns has its own.
const maxStatements = 64

func newInsertion(w *write.Write, of *write.Insert, o options) *insertion {
	return &insertion{
		Write: w, Insert: of, options: o.of(w.Source), statements: map[string]backend.Statement{}, orders: map[string]*insertOrder{},
		confirmations: map[confirmed]*confirmation{},
		reply:         sync.OnceValues(func() (*reply, error) { return newReply(w, of.Reply, o) }),
	}
}

// statement renders a statement that gives out back, or finds it.
func (i *insertion) statement(s *insert.Statement, gives byte, out ir.Output) (backend.Statement, error) {
	if s.Key == nil {
		return i.Source.Dialect.RenderMutation(s.IR(out), i.options)
	}
	key := append(slices.Clone(s.Key), gives)
	i.mu.Lock()
	known := i.statements[string(key)]
	i.mu.Unlock()
	if known != nil {
		return known, nil
	}
	rendered, err := i.Source.Dialect.RenderMutation(s.IR(out), i.options)
	if err != nil {
		return nil, err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.statements) >= maxStatements {
		clear(i.statements)
	}
	i.statements[string(key)] = rendered
	return rendered, nil
}

// confirmation returns the check of rows of a node, nil for none; check is that of inserted rows.
func (i *insertion) confirmation(of confirmed, check ir.BoolExp) (*confirmation, error) {
	n := i.Insert.Nodes[of.node]
	if of.updated {
		check = n.UpdateCheck
	}
	if check == nil || n.Written == nil {
		return nil, nil
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if known := i.confirmations[of]; known != nil {
		return known, nil
	}
	if len(i.confirmations) >= maxStatements {
		clear(i.confirmations)
	}
	made, err := newConfirmation(i.Write, &write.Confirmation{Written: *n.Written, Check: check}, i.options)
	if err == nil {
		i.confirmations[of] = made
	}
	return made, err
}

// bind reads the rows.
func (i *insertion) bind(r *Run) error {
	rows, err := i.Insert.Read(r.Values)
	if err != nil {
		return err
	}
	r.Inserts = append(r.Inserts, rows)
	return r.Budget.Take(budget.Operands, rows.Size())
}

// texts are none before there are rows.
func (*insertion) texts() []string { return nil }

// run inserts the next rows of the turn.
func (i *insertion) run(ctx context.Context, t *turn, args backend.Args, last bool) error {
	rows := t.inserts[0]
	t.inserts = t.inserts[1:]
	n := rows.Node(0).Count
	if n == 0 {
		t.out.Buf = append(t.out.Buf, i.Insert.Empty...)
		return nil
	}
	if i.Insert.Output != nil && len(rows.Nodes) == 1 {
		s := i.Insert.Statement(rows, 0, 0, n, i.Bindings.Len())
		if s.Rows() == n {
			statement, err := i.statement(s, givesAnswer, *i.Insert.Output)
			if err != nil {
				return err
			}
			return at(i.Path, t.query(ctx, statement, withRows(args, s), last))
		}
	}
	x := &nestedInsert{insertion: i, request: t.run, tx: t.tx, args: args, rows: rows}
	x.keys = make([][][][]byte, len(i.Insert.Nodes))
	if i.Insert.Objects != nil {
		x.last, x.shown = last, make([][]byte, len(i.Insert.Objects))
		if err := x.run(ctx, t); err != nil {
			return err
		}
		t.out.Buf = x.answer(t.out.Buf)
		return nil
	}
	reply, err := i.reply()
	if err != nil {
		return err
	}
	x.replied = reply.first >= 0
	if err := x.run(ctx, t); err != nil {
		return err
	}
	if err = t.reply(ctx, reply, &x.affected, x.written, args, last); x.failed != nil {
		return x.failed
	}
	return at(i.Path, err)
}

// withRows adds the operands of a statement.
func withRows(args backend.Args, s *insert.Statement) backend.Args {
	n := len(args.Variables)
	args.Variables = append(args.Variables[:n:n], s.Values...)
	args.Lists = s.Lists
	return args
}

// nestedInsert is one run of an insert with related rows: object relationships come before the row,
// lists after it. As soon as one row of a list has related ones, the list goes row by row: the checks,
// triggers and defaults of a row see those before it, and their related rows. Where the result can't
// differ, all rows of a table go together: see insertOrder.
type nestedInsert struct {
	*insertion
	request *Run
	tx      backend.Tx
	args    backend.Args
	rows    *insert.Rows
	// together reports whether all rows of a table go together.
	together bool
	// replied reports whether a statement follows, along with which deferred ones are sent.
	replied bool
	// awaited reports whether the reply waits for deferred statements: it needs their rows, or a check
	// has to hold before any other statement.
	awaited bool
	// failed is the fault of a deferred statement, with its path.
	failed error
	// path leads to the current rows.
	path []any
	// keys are the values of InsertNode.Keys by node and row, nil for a row that was not
	// written.
	keys [][][][]byte
	// last reports whether nothing comes after the insert, which needs no statement for its answer.
	last bool
	// affected counts all rows; written are those of the root field, for a statement that makes the answer,
	// and shown the objects of its lists otherwise.
	affected int
	written  [][]byte
	shown    [][]byte
	// values has the bytes of keys and written.
	values input.Arena
}

// here is the path of the current rows.
func (x *nestedInsert) here() string { return x.Path + apierror.Path(x.path...) }

// insert inserts the rows from a to b of a node, and their related rows. list reports whether they are
// items of a list.
func (x *nestedInsert) insert(ctx context.Context, node, a, b int, list bool) error {
	if list && !x.together && x.related(node, a, b) {
		for row := a; row < b; row++ {
			x.path = append(x.path, row-a)
			if err := x.insert(ctx, node, row, row+1, false); err != nil {
				return err
			}
			x.path = x.path[:len(x.path)-1]
		}
		return nil
	}
	relations := x.Insert.Nodes[node].Relations
	for _, r := range relations {
		if !r.After {
			if err := x.before(ctx, node, r, a, b); err != nil {
				return err
			}
		}
	}
	if err := x.own(ctx, node, a, b); err != nil {
		return err
	}
	for _, r := range relations {
		if r.After {
			if err := x.after(ctx, node, r, a, b); err != nil {
				return err
			}
		}
	}
	return nil
}

// related reports whether one of the rows has related ones.
func (x *nestedInsert) related(node, a, b int) bool {
	for _, r := range x.Insert.Nodes[node].Relations {
		if from, to := x.rows.Node(r.Node).Of(a, b); from < to {
			return true
		}
	}
	return false
}

// before inserts the rows that others hold the keys of.
func (x *nestedInsert) before(ctx context.Context, node int, r *insert.Relation, a, b int) error {
	related := x.rows.Node(r.Node)
	from, to := related.Of(a, b)
	if from == to {
		return nil
	}
	x.path = append(x.path, r.Name, "data")
	if err := x.insert(ctx, r.Node, from, to, false); err != nil {
		return err
	}
	x.path = x.path[:len(x.path)-1]
	for row := from; row < to; row++ {
		keys := x.keys[r.Node][row]
		if keys == nil {
			return at(x.here(), apierror.Newf(apierror.NotSupported,
				"cannot proceed to insert object relation %q since insert to table %q affects zero rows", r.Name, x.Insert.Nodes[r.Node].Display))
		}
		x.rows.Node(node).Take(r, related.Parent(row), keys)
	}
	x.path = x.path[:len(x.path)-1]
	return nil
}

// after inserts the rows that hold the keys of others.
func (x *nestedInsert) after(ctx context.Context, node int, r *insert.Relation, a, b int) error {
	related := x.rows.Node(r.Node)
	from, to := related.Of(a, b)
	if from == to {
		return nil
	}
	for row := from; row < to; row++ {
		keys := x.keys[node][related.Parent(row)]
		if keys == nil {
			return at(x.here(), apierror.Newf(apierror.NotSupported,
				"cannot proceed to insert array relations since insert to table %q affects zero rows", x.Insert.Nodes[node].Display))
		}
		related.Take(r, row, keys)
	}
	x.path = append(x.path, r.Name, "data")
	if err := x.insert(ctx, r.Node, from, to, true); err != nil {
		return err
	}
	x.path = x.path[:len(x.path)-2]
	return nil
}

// own inserts the rows themselves.
func (x *nestedInsert) own(ctx context.Context, node, a, b int) error {
	if x.keys[node] == nil {
		x.keys[node] = make([][][]byte, x.rows.Node(node).Count)
	}
	for a < b {
		s := x.Insert.Statement(x.rows, node, a, b, x.Bindings.Len())
		if err := x.write(ctx, node, a, s); err != nil {
			return err
		}
		a += s.Rows()
	}
	return nil
}

// needsKeys reports whether related rows take values of these rows.
func (x *nestedInsert) needsKeys(node, a, b int) bool {
	return len(x.Insert.Nodes[node].Keys) > 0 && (x.Insert.Nodes[node].First || x.related(node, a, b))
}

// write runs the statement of the rows from a on, at the latest before the next one that is
// waited for.
func (x *nestedInsert) write(ctx context.Context, node, a int, s *insert.Statement) error {
	waits, gives, out := x.needsKeys(node, a, a+s.Rows()), byte(givesNothing), ir.Output{Handed: true}
	if waits {
		gives, out.Returning = givesKeys, x.Insert.Nodes[node].Keys
	}
	keys := len(out.Returning)
	switch {
	case node != 0:
	case x.shown != nil:
		out.Objects = x.Insert.Objects
	default:
		out.Returning = append(out.Returning[:keys:keys], x.Insert.Whole)
	}
	// What checks are made of comes behind all other columns.
	n := x.Insert.Nodes[node]
	var confirming [2][][]byte // inserted and updated rows
	confirm := len(out.Returning)
	if n.Written != nil {
		out.Returning = append(out.Returning[:confirm:confirm], ir.Field{Value: ir.Scalar{Expr: ir.RowRef{Columns: n.Written.Columns, Key: n.Written.Key}}})
		if n.UpdateCheck != nil {
			out.Returning = append(out.Returning, ir.Field{Value: ir.Scalar{Expr: ir.Inserted{}}})
		}
	}
	statement, err := x.statement(s, gives, out)
	if err != nil {
		return at(x.here(), err)
	}
	args, where, written := withRows(x.args, s), x.here(), 0
	var taken [][]byte // the keys of all rows
	if waits {
		taken = make([][]byte, 0, keys*s.Rows())
	}
	if node == 0 && x.shown == nil {
		x.written = slices.Grow(x.written, s.Rows())
	}
	row := func(row [][]byte) error {
		x.affected++
		if waits {
			start := len(taken)
			for _, value := range row[:keys] {
				taken = append(taken, x.values.Clone(value))
			}
			x.keys[node][a+written] = taken[start:len(taken):len(taken)]
		}
		written++
		switch {
		case node != 0:
		case x.shown != nil:
			x.show(row[len(out.Returning):])
		default:
			x.written = append(x.written, x.values.Clone(row[keys]))
		}
		if n.Written != nil {
			updated := 0
			if n.UpdateCheck != nil && string(row[confirm+1]) == "0" {
				updated = 1
			}
			confirming[updated] = append(confirming[updated], x.values.Clone(row[confirm]))
		}
		return nil
	}
	x.request.asks(ctx, x.Field, statement, args)
	err = x.tx.Defer(ctx, backend.Deferred{
		Statement: statement, Args: args, Row: row, Certain: true, Failed: func(err error) error {
			x.failed = at(where, err)
			return x.failed
		},
	})
	x.awaited = x.awaited || node == 0 || s.Check() != nil || n.UpdateCheck != nil
	if err != nil || !waits && n.Written == nil {
		return err
	}
	x.awaited = false
	if err = x.tx.Flush(ctx); err != nil {
		return err
	}
	if waits && x.together && written != s.Rows() {
		return errOrderMatters // whose keys are these?
	}
	for updated, rows := range confirming {
		c, err := x.confirmation(confirmed{node, updated == 1, s.RuledColumns()}, s.Check())
		if err == nil && c != nil {
			err = c.run(ctx, x.request, x.tx, x.Field, rows, x.args)
		}
		if err != nil {
			return at(where, err)
		}
	}
	return nil
}

// show adds the objects of a row of the root field to the lists of the answer.
func (x *nestedInsert) show(objects [][]byte) {
	for i, object := range objects {
		if len(x.shown[i]) > 0 {
			x.shown[i] = append(x.shown[i], answer.Spaced.Comma...)
		}
		x.shown[i] = append(x.shown[i], object...)
	}
}

// answer appends the answer, of the objects that rows were written as.
func (x *nestedInsert) answer(dst []byte) []byte {
	list := 0
	for i := range x.Insert.Reply.Parts {
		p := &x.Insert.Reply.Parts[i]
		switch {
		case p.Count:
			dst = strconv.AppendInt(dst, int64(x.affected), 10)
		case p.Rows == nil:
			dst = append(dst, p.Text...)
		case !p.Rows.One:
			dst = append(append(append(dst, '['), x.shown[list]...), ']')
			list++
		case len(x.shown[list]) == 0:
			dst = append(dst, "null"...)
		default:
			dst = append(dst, x.shown[list]...)
		}
	}
	return dst
}
