package postgres

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/pkg/testlong"
)

// relation of the shop, as far as random plans go.
type shopTable struct {
	columns []ir.Column
	one     map[string]string // table, by the column that refers to it
	many    map[string]string // column that refers to this table, by table
}

var shop = map[string]shopTable{
	"genre":  {columns: []ir.Column{idColumn, column("name", textType)}, many: map[string]string{"track": "genre_id"}},
	"artist": {columns: []ir.Column{idColumn, column("name", textType), column("born", dateType)}, many: map[string]string{"album": "artist_id"}},
	"album": {
		columns: []ir.Column{idColumn, titleColumn, column("released", timestamptzType), column("meta", jsonbType), column(`odd "name`, textType)},
		one:     map[string]string{"artist_id": "artist"}, many: map[string]string{"track": "album_id"},
	},
	"track": {
		columns: []ir.Column{
			idColumn, titleColumn, column("seconds", int4Type), column("price", numericType), column("plays", int8Type),
			column("mood", moodType), column("tags", textsType),
		},
		one: map[string]string{"album_id": "album", "genre_id": "genre"},
	},
}

// planner makes random plans on the shop. Lists are ordered by id at last, so that there is
// one right answer.
type planner struct{ *rand.Rand }

func (p planner) chance(percent int) bool { return p.IntN(100) < percent }

// pick takes one of the keys of a map, in an order that doesn't change between runs.
func pick[V any](p planner, m map[string]V) (string, V) {
	names := make([]string, 0, len(m))
	for _, name := range []string{"album", "album_id", "artist", "artist_id", "genre", "genre_id", "track"} {
		if _, ok := m[name]; ok {
			names = append(names, name)
		}
	}
	name := names[p.IntN(len(names))]
	return name, m[name]
}

func (p planner) expr(name string) ir.Column {
	columns := shop[name].columns
	return columns[p.IntN(len(columns))]
}

func (p planner) where(name string, depth int) ir.BoolExp {
	t := shop[name]
	id := func(op ir.Op) ir.BoolExp { return compare(idColumn, op, number4(strconv.Itoa(p.IntN(30)))) }
	switch n := p.IntN(8); {
	case n == 0 && depth > 0:
		return ir.And{Exps: []ir.BoolExp{p.where(name, depth-1), p.where(name, depth-1)}}
	case n == 1 && depth > 0:
		return ir.Or{Exps: []ir.BoolExp{p.where(name, depth-1), p.where(name, depth-1)}}
	case n == 2 && depth > 0:
		return ir.Not{Exp: p.where(name, depth-1)}
	case n == 3 && depth > 0 && len(t.one) > 0:
		key, target := pick(p, t.one)
		return ir.Exists{From: stored(target), Join: pair(key, "id"), Unique: p.chance(70), Where: p.where(target, depth-1)}
	case n == 4 && depth > 0 && len(t.many) > 0:
		target, key := pick(p, t.many)
		return ir.AggregateCompare{
			From: stored(target), Join: pair("id", key), Function: "count", Filter: p.where(target, depth-1),
			Predicate: []ir.Compare{{Op: ir.OpGt, Args: []ir.Value{number4(strconv.Itoa(p.IntN(4)))}}},
		}
	case n == 5:
		return ir.IsNull{Expr: p.expr(name), Not: p.chance(50)}
	case n == 6:
		return id(ir.OpGt)
	}
	return id(ir.OpNeq)
}

func (p planner) rows(name string, depth int) ir.Rows {
	rows := ir.Rows{From: stored(name)}
	t := shop[name]
	if p.chance(40) {
		rows.Where = p.where(name, 2)
	}
	if p.chance(30) {
		key, target := ir.OrderTarget(ir.OrderExpr{Expr: p.expr(name)}), ""
		if len(t.one) > 0 && p.chance(50) {
			var column string
			column, target = pick(p, t.one)
			key = ir.OrderRelated{
				From: stored(target), Join: pair(column, "id"), Unique: p.chance(50),
				Target: ir.OrderExpr{Expr: p.expr(target)},
			}
		} else if len(t.many) > 0 && p.chance(50) {
			target, column := pick(p, t.many)
			key = ir.OrderAggregate{From: stored(target), Join: pair("id", column), Function: "max", Expr: idColumn}
		}
		rows.OrderBy = orderBy(ir.OrderItem{Target: key, Desc: p.chance(50), NullsFirst: p.chance(50)})
	} else if p.chance(15) {
		c := p.expr(name)
		rows.DistinctOn = []ir.Expr{c}
		rows.OrderBy = orderBy(ir.OrderItem{Target: ir.OrderExpr{Expr: c}})
	}
	rows.OrderBy = append(rows.OrderBy, by("id"))
	if p.chance(30) {
		rows.Limit = number4(strconv.Itoa(p.IntN(12)))
	}
	if p.chance(15) {
		rows.Offset = number4(strconv.Itoa(p.IntN(4)))
	}
	if p.chance(15) {
		rows.MaxRows = 1 + p.IntN(9)
	}
	return rows
}

func (p planner) fields(name string, depth int) []ir.Field {
	t := shop[name]
	var fields []ir.Field
	for i := range 1 + p.IntN(4) {
		alias := fmt.Sprintf("f%d", i)
		switch n := p.IntN(6); {
		case n == 0 && depth > 0 && len(t.one) > 0:
			key, target := pick(p, t.one)
			var where ir.BoolExp
			if p.chance(30) {
				where = p.where(target, 1)
			}
			f := one(alias, target, pair(key, "id"), where, p.fields(target, depth-1)...)
			f.Value.(*ir.Nested).Unique = p.chance(70)
			fields = append(fields, f)
		case n == 1 && depth > 0 && len(t.many) > 0:
			target, key := pick(p, t.many)
			fields = append(fields, many(alias, pair("id", key), p.rows(target, depth-1), p.fields(target, depth-1)...))
		case n == 2 && depth > 0 && len(t.many) > 0:
			target, key := pick(p, t.many)
			fields = append(fields, ir.Field{Alias: alias, Value: &ir.Nested{Join: pair("id", key), Root: p.aggregate(target, depth-1)}})
		case n == 3:
			fields = append(fields, ir.Field{Alias: alias, Value: ir.Typename(name)})
		default:
			c := p.expr(name)
			fields = append(fields, ir.Field{Alias: alias, Value: ir.Scalar{Expr: c, Type: c.Type}})
		}
	}
	return fields
}

func (p planner) aggregate(name string, depth int) *ir.Aggregate {
	a := &ir.Aggregate{Rows: p.rows(name, depth)}
	if p.chance(70) {
		values := []ir.AggregateExpr{count("n"), aggregateOf("max", "max", idColumn)}
		if name == "track" {
			values = append(values, aggregateOf("avg", "avg", column("price", numericType)), aggregateOf("sum", "sum", column("plays", int8Type)))
		}
		a.Fields = append(a.Fields, ir.AggregateField{Alias: "aggregate", Value: ir.Aggregates(values)})
	}
	if p.chance(60) {
		a.Fields = append(a.Fields, ir.AggregateField{Alias: "nodes", Value: ir.Nodes(p.fields(name, depth))})
	}
	return a
}

func (p planner) root() ir.Root {
	name, _ := pick(p, shop)
	if p.chance(25) {
		return p.aggregate(name, 2)
	}
	s := &ir.Select{Rows: p.rows(name, 3), Fields: p.fields(name, 3)}
	if p.chance(10) {
		s.One, s.Limit, s.MaxRows = true, number4("1"), 0
	}
	return s
}

// TestRandomPlans holds the binary way to the one where the database makes the JSON.
func TestRandomPlans(t *testing.T) {
	t.Parallel()
	f := newFixture(t, shopSchema, nil)
	plans := testlong.Of(120, 400)
	answers := 0
	for seed := range uint64(plans) { //nolint:gosec // positive
		p := planner{rand.New(rand.NewPCG(seed, 5))}
		root := p.root()
		answer := sameAnswer(t, f.source, root, backend.RenderOptions{StringifyNumeric: p.chance(30)}, backend.Args{})
		if len(answer) > 10 {
			answers++
		}
	}
	require.Greater(t, answers, plans/2, "most plans should find something")
}

// TestRandomValues compares the encoders of numbers and times with the database's text, for random
// values.
func TestRandomValues(t *testing.T) {
	t.Parallel()
	f := newFixture(t, `SELECT setseed(0.25)`, nil)
	kinds := []struct{ name, expression string }{
		{"float8", `(random() - 0.5) * power(10::float8, (random() * 600 - 300)::int)`},
		{"float8", `(random() * power(2::float8, (random() * 120)::int))`},
		{"float8", `(1 + (random() * 9)::int) * power(10::float8, (random() * 40)::int)`},
		{"float8", `floor(random() * 1e6) * power(2::float8, (random() * 70)::int)`},
		{"float4", `((random() - 0.5) * power(10::float8, (random() * 70 - 35)::int))`},
		{"float4", `floor(random() * 1e4) * power(2::float8, (random() * 70)::int)`},
		{"numeric", `(random() - 0.5)::numeric * power(10::numeric, (random() * 40 - 20)::int)`},
		{"numeric", `round((random() * 1e6)::numeric, (random() * 6)::int)`},
		{"int8", `((random() - 0.5) * 1.8e19)`},
		{"date", `date '2000-01-01' + ((random() - 0.5) * 4e6)::int`},
		{"timestamp", `timestamp '2000-01-01' + (random() - 0.2) * 4e9 * interval '1 second'`},
		{"timestamptz", `timestamptz '2000-01-01 00:00:00+00' + (random() - 0.2) * 4e9 * interval '1 second'`},
		{"time", `time '00:00' + random() * interval '24 hours'`},
	}
	for i, k := range kinds {
		f.exec(t, fmt.Sprintf(`CREATE TABLE r%d AS SELECT i AS id, (%s)::%s AS v FROM generate_series(1, 3000) AS i`, i, k.expression, k.name))
		kind := catalog.Type{Name: k.name}
		rows := table(fmt.Sprintf("r%d", i))
		rows.OrderBy = orderBy(by("id"))
		sameAnswer(t, f.source, &ir.Select{Rows: rows, Fields: []ir.Field{field("v", kind)}}, backend.RenderOptions{}, backend.Args{})
	}
}
