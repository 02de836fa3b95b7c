package mssql

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// A statement of the golden files: a plan, by the name that it has in the file of its group.
type rendered struct{ group, name, text string }

// The shop that plans are about.
var (
	customers = ir.Table{Name: catalog.Name{Schema: "dbo", Name: "customer"}}
	orders    = ir.Table{Name: catalog.Name{Schema: "dbo", Name: "order"}}
	items     = ir.Table{Name: catalog.Name{Schema: "sales", Name: "item]s"}}

	toOrders   = []ir.JoinPair{{Outer: "id", Inner: "customer_id"}}
	toCustomer = []ir.JoinPair{{Outer: "customer_id", Inner: "id"}}
	toItems    = []ir.JoinPair{{Outer: "id", Inner: "order_id"}, {Outer: "region", Inner: "region"}}
)

func col(name, of string) ir.Column { return ir.Column{Name: name, Type: catalog.Type{Name: of}} }

func field(c ir.Column) ir.Field {
	return ir.Field{Alias: c.Name, Value: ir.Scalar{Expr: c, Type: c.Type}}
}

func fields(columns ...ir.Column) []ir.Field {
	list := make([]ir.Field, len(columns))
	for i, c := range columns {
		list[i] = field(c)
	}
	return list
}

var (
	id, name, price, region = col("id", "int4"), col("name", "text"), col("price", "decimal"), col("region", "varchar")
	customerID              = col("customer_id", "int4")
)

func literal(c ir.Column, text string) ir.Value { return ir.Literal{Text: text, Type: c.Type} }

func listed(c ir.Column, texts ...string) ir.Value {
	values := make([][]byte, len(texts))
	for i, t := range texts {
		values[i] = []byte(t)
	}
	return ir.Literal{Text: string(New().list(values)), Type: c.Type, List: true}
}

func (d *Dialect) list(values [][]byte) []byte { return spelling{}.List(values) }

func variable(c ir.Column, index int) ir.Value { return ir.Variable{Index: index, Type: c.Type} }

func owned(c ir.Column) ir.Value { return ir.SessionVar{Name: "x-engine-user-id", Type: c.Type} }

// seenWithItems is a cell that a role sees where the order has items.
func seenWithItems(c ir.Column) ir.Expr {
	return ir.Redacted{Expr: c, When: ir.Exists{From: items, Join: toItems, Where: ir.And{}}}
}

func compare(c ir.Column, op ir.Op, v ir.Value) ir.BoolExp {
	return ir.Compare{Left: c, Op: op, Args: []ir.Value{v}}
}

func by(targets ...ir.OrderItem) []ir.OrderItem { return targets }

func asc(c ir.Column) ir.OrderItem {
	return ir.OrderItem{Target: ir.OrderExpr{Expr: c}, NullsFirst: true}
}

func desc(c ir.Column) ir.OrderItem { return ir.OrderItem{Target: ir.OrderExpr{Expr: c}, Desc: true} }

func related(rows ir.Rows, join []ir.JoinPair, f ...ir.Field) *ir.Nested {
	return &ir.Nested{Join: join, Root: &ir.Select{Rows: rows, Fields: f}}
}

func object(from ir.From, join []ir.JoinPair, unique bool, f ...ir.Field) *ir.Nested {
	return &ir.Nested{Join: join, Unique: unique, Root: &ir.Select{Rows: ir.Rows{From: from}, Fields: f, One: true}}
}

func aggregated(column ir.Column, functions ...string) ir.Aggregates {
	list := ir.Aggregates{{Alias: "count", Value: &ir.Count{}}}
	for _, f := range functions {
		list = append(list, ir.AggregateExpr{Alias: f, Value: &ir.AggregateCall{Function: f, Columns: []ir.AggregateColumn{
			{Alias: column.Name, Value: ir.Scalar{Expr: column, Type: column.Type}},
		}}})
	}
	return list
}

// collector renders plans and keeps the texts.
type collector struct {
	t    testing.TB
	list []rendered
}

func (c *collector) query(group, name string, root ir.Root) {
	c.queryWith(group, name, root, backend.RenderOptions{})
}

func (c *collector) queryWith(group, name string, root ir.Root, o backend.RenderOptions) {
	s, err := New().RenderQuery(root, o)
	require.NoError(c.t, err, "%s/%s", group, name)
	c.list = append(c.list, rendered{group, name, s.SQL()})
}

func (c *collector) mutation(group, name string, m ir.Mutation) {
	s, err := New().RenderMutation(m, backend.RenderOptions{})
	require.NoError(c.t, err, "%s/%s", group, name)
	c.list = append(c.list, rendered{group, name, s.SQL()})
}

func (c *collector) live(group, name string, l ir.Live) {
	s, err := New().RenderLive(l, backend.RenderOptions{})
	require.NoError(c.t, err, "%s/%s", group, name)
	c.list = append(c.list, rendered{group, name, s.SQL()})
}

// statements are all statements of the golden files.
func statements(t testing.TB) []rendered {
	c := &collector{t: t}
	c.types()
	c.conditions()
	c.relations()
	c.orders()
	c.pages()
	c.aggregates()
	c.inserts()
	c.upserts()
	c.updates()
	c.deletes()
	c.subscriptions()
	c.others()
	return c.list
}

// TestStatements compares the statements with those of testdata/statements, one file for each group, which
// are there to be read. UPDATE_STATEMENTS=1 writes them.
func TestStatements(t *testing.T) {
	t.Parallel()
	files := map[string]*strings.Builder{}
	names := map[string]bool{}
	for _, s := range statements(t) {
		require.False(t, names[s.group+"/"+s.name], "%s/%s is there twice", s.group, s.name)
		names[s.group+"/"+s.name] = true
		if files[s.group] == nil {
			files[s.group] = &strings.Builder{}
		}
		fmt.Fprintf(files[s.group], "-- %s\n%s\n\n", s.name, readable(s.text))
	}
	require.Greater(t, len(names), 190)
	for group, text := range files {
		path := filepath.Join("testdata", "statements", group+".sql")
		if os.Getenv("UPDATE_STATEMENTS") != "" {
			require.NoError(t, os.WriteFile(path, []byte(text.String()), 0o600))
			continue
		}
		golden, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, string(golden), text.String(), group)
	}
}

// readable breaks a statement into lines.
func readable(text string) string {
	for _, word := range []string{" FROM ", " LEFT JOIN ", " WHERE ", " ORDER BY ", " OUTPUT ", " VALUES ", " UNION ALL ", " INTO #", " FOR JSON "} {
		text = strings.ReplaceAll(text, word, "\n  "+word[1:])
	}
	return text
}
