package execute

import (
	"context"
	"encoding/binary"
	"errors"
	"sync/atomic"
	"time"

	"queryengine/pkg/backend"
)

// insertOrder decides whether nested rows may be inserted table by table: all rows of a table in one
// statement, and their related rows after it, with the keys that the database gave them. The result is
// the same as row by row, as long as nothing in the database looks at the order. The statement asks the
// database, and returns a row if something may notice.
//
// A failed insert is repeated row by row, so that the error is that of the first wrong row, with its
// path.
type insertOrder struct {
	statement backend.Statement // nil when it matters in any case
	// refused is when the database last reported that the order matters, in Unix nanoseconds.
	refused atomic.Int64
	// granted reports whether the database's last answer was that it doesn't.
	granted atomic.Bool
}

func (o *insertOrder) refuse() {
	o.granted.Store(false)
	o.refused.Store(time.Now().UnixNano())
}

// fewRows is the number of rows with related ones below which the question costs more than
// it saves.
const fewRows = 4

// refusalHolds is how long a refusal is taken as the answer to later requests.
const refusalHolds = time.Minute

// errOrderMatters ends the attempt to insert rows table by table.
var errOrderMatters = errors.New("the order of rows matters")

// order finds out what there is to know about the nodes that have rows; nil when rows go one by
// one.
func (x *nestedInsert) order() (*insertOrder, error) {
	var key []byte
	for node := range x.rows.Nodes {
		if x.rows.Nodes[node].Count > 0 {
			key = binary.AppendUvarint(key, uint64(node)) //nolint:gosec // an index
		}
	}
	x.mu.Lock()
	known := x.orders[string(key)]
	x.mu.Unlock()
	if known == nil {
		known = &insertOrder{}
		if o, ok := x.Insert.Order(func(node int) bool { return x.rows.Node(node).Count > 0 }); ok {
			var err error
			if known.statement, err = x.Source.Dialect.RenderInsertOrder(o); err != nil {
				return nil, err
			}
		}
		x.mu.Lock()
		if len(x.orders) >= maxStatements {
			clear(x.orders)
		}
		x.orders[string(key)] = known
		x.mu.Unlock()
	}
	if known.statement == nil || time.Since(time.Unix(0, known.refused.Load())) < refusalHolds {
		return nil, nil
	}
	return known, nil
}

// many reports whether some table has enough rows with related ones.
func (x *nestedInsert) many() bool {
	for node, n := range x.Insert.Nodes {
		count := x.rows.Node(node).Count
		if count >= fewRows && len(n.Relations) > 0 && x.related(node, 0, count) {
			return true
		}
	}
	return false
}

// run inserts all rows, table by table where that is the same.
func (x *nestedInsert) run(ctx context.Context, t *turn) error {
	var order *insertOrder
	if !t.rowByRow && x.many() {
		var err error
		if order, err = x.order(); err != nil {
			return err
		}
	}
	if order != nil {
		if err := x.ask(ctx, order); err != nil {
			return err
		}
	}
	together := x.together
	err := x.insert(ctx, 0, 0, x.rows.Node(0).Count, true)
	if err == nil && (x.together || x.awaited || !x.replied) {
		if x.last {
			backend.Last(x.tx)
		}
		err = x.tx.Flush(ctx)
	}
	if errors.Is(err, errOrderMatters) {
		order.refuse()
	}
	if err != nil && together && backend.ConflictOf(err) == backend.NoConflict && ctx.Err() == nil {
		return errOrderMatters
	}
	return err
}

// ask asks the database whether the order matters. As long as that is unknown, it takes a round trip of
// its own: an attempt that is given up leaves gaps in the keys.
func (x *nestedInsert) ask(ctx context.Context, order *insertOrder) error {
	asked := order.granted.Load()
	x.together = true
	x.request.asks(ctx, x.Field, order.statement, backend.Args{})
	err := x.tx.Defer(ctx, backend.Deferred{Statement: order.statement, Row: func([][]byte) error {
		x.together = false
		order.refuse()
		if asked {
			return errOrderMatters
		}
		return nil
	}})
	if err != nil || asked {
		return err
	}
	if err = x.tx.Flush(ctx); err == nil && x.together {
		order.granted.Store(true)
	}
	return err
}
