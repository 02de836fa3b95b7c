package sqltext_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/pkg/ir/rewrite"
	"queryengine/pkg/session"
)

var (
	integer = catalog.Type{Name: "int"}
	text    = catalog.Type{Name: "nvarchar"}
	album   = catalog.Name{Schema: "dbo", Name: "album"}
	track   = catalog.Name{Schema: "dbo", Name: "track"}
	toTrack = []ir.JoinPair{{Outer: "id", Inner: "album_id"}}
	toAlbum = []ir.JoinPair{{Outer: "album_id", Inner: "id"}}
)

func column(name string) ir.Column { return ir.Column{Name: name, Type: integer} }

func number(n string) ir.Literal { return ir.Literal{Text: n, Type: integer} }

func compare(name string, op ir.Op, args ...ir.Value) ir.Compare {
	return ir.Compare{Left: column(name), Op: op, Args: args}
}

func newRenderer() *sqltext.Renderer {
	return &sqltext.Renderer{Spelling: brackets{}, Strategy: plain{}}
}

// condition renders a condition on a row of t0.
func condition(t *testing.T, e ir.BoolExp) (string, []sqltext.Param) {
	t.Helper()
	r := newRenderer()
	text := r.Condition(e, &sqltext.Scope{Alias: r.Alias()})
	require.NoError(t, r.Err)
	return text, r.Params
}

func TestConditions(t *testing.T) {
	t.Parallel()
	root := column("owner")
	root.Root = true
	for want, e := range map[string]ir.BoolExp{
		`(1 = 1)`:                    nil,
		`(1 = 0)`:                    ir.Or{},
		`t0.[id] = CAST(@p1 AS int)`: compare("id", "_eq", number("1")),
		`t0.[a]]b] = CAST(@p1 AS int) AND (t0.[c] > CAST(@p2 AS int) OR NOT (t0.[c] IS NULL))`: ir.And{Exps: []ir.BoolExp{
			compare("a]b", "_eq", number("1")),
			ir.And{},
			ir.Or{Exps: []ir.BoolExp{compare("c", "_gt", number("2")), ir.Not{Exp: ir.IsNull{Expr: column("c")}}}},
		}},
		`t0.[id] IN (SELECT value FROM OPENJSON(@p1))`:          compare("id", "_in", ir.Lookup{Type: catalog.Type{Name: "int"}}),
		`t0.[id] BETWEEN CAST(@p1 AS int) AND CAST(@p2 AS int)`: compare("id", "_between", number("1"), number("2")),
		`near(t0.[id], from_point(CAST(@p1 AS int)), CAST(@p1 AS int))`: compare("id", "_near",
			ir.Literal{Text: "1", Type: integer, Wrap: "point"}, number("1")),
		`(t0.[id] = CAST(@p1 AS int) OR t0.[id] IS NULL AND CAST(@p1 AS int) IS NULL)`: ir.Compare{
			Left: column("id"), Op: "_eq", Args: []ir.Value{ir.Variable{Type: integer}}, NullSafe: true,
		},
		`(t0.[id] <> t0.[other] OR t0.[id] IS NOT NULL AND t0.[other] IS NULL)`: ir.CompareColumn{
			Left: column("id"), Op: "_neq", Right: column("other"), NullSafe: true,
		},
		// The root of the inner rule is its own row.
		`EXISTS (SELECT 1 FROM [dbo].[track] AS t1 WHERE t1.[album_id] = t0.[id] AND t1.[owner] = t0.[owner] AND t1.[owner] > t1.[owner])`: ir.Exists{
			From: ir.Table{Name: track}, Join: toTrack, Where: ir.And{Exps: []ir.BoolExp{
				ir.CompareColumn{Left: column("owner"), Op: "_eq", Right: root},
				ir.Rule{Exp: ir.CompareColumn{Left: column("owner"), Op: "_gt", Right: root}},
			}},
		},
		`(SELECT count_big(DISTINCT t1.[genre]) > CAST(@p1 AS int) AND count_big(DISTINCT t1.[genre]) IS NOT NULL FROM [dbo].[track] AS t1 WHERE t1.[album_id] = t0.[id])`: ir.AggregateCompare{
			From: ir.Table{Name: track}, Join: toTrack, Function: "count", Distinct: true, Args: []ir.Expr{column("genre")},
			Predicate: []ir.Compare{{Op: "_gt", Args: []ir.Value{number("3")}}}, Null: new(bool),
		},
		`EXISTS (SELECT 1 FROM [f](t0.[key], [limit] => CAST(@p1 AS int)) AS t1)`: ir.Exists{
			From: ir.Function{Name: catalog.Name{Name: "f"}, Args: []ir.CallArg{{Row: true}, {Name: "limit", Value: number("1")}}},
		},
	} {
		got, _ := condition(t, e)
		require.Equal(t, want, got)
	}
}

// The album of a track of an album is that album: what is known of it isn't asked again.
func TestKnownConditions(t *testing.T) {
	t.Parallel()
	mine := compare("user_id", "_eq", ir.SessionVar{Name: "x-engine-user-id", Type: integer})
	tracks := ir.Exists{From: ir.Table{Name: track}, Join: toTrack, Where: ir.Exists{From: ir.Table{Name: album}, Join: toAlbum, Where: mine}}
	r := newRenderer()
	require.Equal(t, `EXISTS (SELECT 1 FROM [dbo].[track] AS t0 WHERE t0.[album_id] = a.[id])`,
		r.Condition(tracks, &sqltext.Scope{Alias: "a", Known: rewrite.Know(ir.Table{Name: album}, mine)}))
	require.Equal(t, `EXISTS (SELECT 1 FROM [dbo].[track] AS t1 WHERE t1.[album_id] = a.[id] AND `+
		`EXISTS (SELECT 1 FROM [dbo].[album] AS t2 WHERE t2.[id] = t1.[album_id] AND t2.[user_id] = CAST(@p1 AS int)))`,
		r.Condition(tracks, &sqltext.Scope{Alias: "a"}))
	require.NoError(t, r.Err)
}

func TestExpressions(t *testing.T) {
	t.Parallel()
	r := newRenderer()
	joined := &sqltext.Scope{Alias: "t0", Marker: "t0.[id]"}
	require.Equal(t, `upper(CAST(t0.[name] AS nvarchar))`, r.Expr(ir.Upper{Expr: ir.Cast{Expr: column("name"), Type: text}}, joined))
	require.Equal(t, `(CASE WHEN t0.[id] > CAST(@p1 AS int) THEN t0.[name] END)`,
		r.Expr(ir.Redacted{Expr: column("name"), When: compare("id", "_gt", number("5"))}, joined))
	require.Equal(t, `(CASE WHEN t0.[id] IS NOT NULL THEN [dbo].[album](t0.[key]) END)`,
		r.Expr(ir.Call{Function: album, Args: []ir.CallArg{{Row: true}}}, joined))
	require.Equal(t, `(CASE WHEN t0.[id] IS NOT NULL THEN (SELECT max(t0.[price]) FROM [dbo].[track] AS t0 WHERE t0.[album_id] = t0.[id]) END) DESC`,
		r.OrderAggregate(ir.OrderAggregate{From: ir.Table{Name: track}, Join: toTrack, Function: "max", Expr: column("price")}, joined)+
			r.Spelling.Direction(true, false))
	require.Equal(t, `OPENJSON(@keys3)`, r.From(ir.Keys{Index: 3}, nil))
	require.NoError(t, r.Err)
}

func TestLimits(t *testing.T) {
	t.Parallel()
	r := newRenderer()
	r.Limits = map[int]string{1: "20"}
	for want, given := range map[string]struct {
		argument ir.Value
		rows     int
	}{
		"":   {nil, 0},
		"10": {nil, 10},
		"0":  {number("5"), ir.NoRows},
		"5":  {number(" 5"), 10},
		"20": {ir.Variable{Index: 1, Type: integer}, 30},
		"CASE WHEN CAST(@p1 AS int) < 30 THEN CAST(@p1 AS int) ELSE 30 END": {ir.Variable{Index: 2, Type: integer}, 30},
	} {
		require.Equal(t, want, r.Limit(given.argument, given.rows))
	}
	require.Equal(t, []int{2}, r.LimitVariables)
}

func TestWrites(t *testing.T) {
	t.Parallel()
	r := newRenderer()
	update, row := r.Update(&ir.Update{
		Table: track, Where: compare("id", "_eq", number("1")),
		Set: []ir.Assignment{{Column: column("n"), Op: "_inc", Value: number("2")}, {Column: column("album_id"), Op: "_set", Value: ir.Literal{Null: true, Type: integer}}},
	})
	require.Equal(t, `UPDATE [dbo].[track] AS t0 SET [n] = t0.[n] + CAST(@p1 AS int), [album_id] = CAST(NULL AS int) WHERE t0.[id] = CAST(@p2 AS int)`, update)
	require.Equal(t, `(t0.[n] > CAST(@p2 AS int))`, r.Check(compare("n", "_gt", number("1")), row))
	require.Empty(t, r.Check(ir.And{}, row))
	all, _ := r.Delete(&ir.Delete{Table: track})
	require.Equal(t, `DELETE FROM [dbo].[track] AS t1`, all)
	require.NoError(t, r.Err)
}

func TestOnConflict(t *testing.T) {
	t.Parallel()
	r := newRenderer()
	_, row := r.Target(track)
	require.Empty(t, r.OnConflict(nil, row))
	require.Equal(t, ` ON CONFLICT DO NOTHING`, r.OnConflict(&ir.OnConflict{}, row))
	require.Equal(t, ` ON CONFLICT ([id], [n]) DO UPDATE SET [n] = EXCLUDED.[n], [user_id] = CAST(@p1 AS int) WHERE t0.[n] > CAST(@p2 AS int)`,
		r.OnConflict(&ir.OnConflict{
			Target: ir.ConflictTarget{Constraint: "track_key", Columns: []string{"id", "n"}},
			Set:    []string{"n"}, Where: compare("n", "_gt", number("1")),
			Presets: []ir.Assignment{{Column: column("user_id"), Op: "_set", Value: number("7")}},
		}, row))
	require.NoError(t, r.Err)
}

// Parameters are resolved for each run; lists have the form of the dialect.
func TestParameters(t *testing.T) {
	t.Parallel()
	args := &backend.Args{
		Variables: [][]byte{[]byte("v")},
		Lists:     [][][]byte{{[]byte("a"), nil}},
		Session:   &session.Session{Variables: map[string]string{"x-engine-user-id": "7"}},
		Lookups:   map[string][][]byte{"k": {[]byte(`"`)}},
	}
	for want, p := range map[string]sqltext.Param{
		`v`:          {Kind: sqltext.ParamVariable},
		`7`:          {Kind: sqltext.ParamSession, Name: "x-engine-user-id"},
		`["a",null]`: {Kind: sqltext.ParamEach},
		`["\""]`:     {Kind: sqltext.ParamLookup, Name: "k"},
		`["v","l"]`:  {Kind: sqltext.ParamList, List: []sqltext.Param{{Kind: sqltext.ParamVariable}, {Text: []byte("l")}}},
	} {
		got, err := p.Resolve(args, brackets{}.List)
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
	for _, p := range []sqltext.Param{
		{Kind: sqltext.ParamVariable, Index: 1},
		{Kind: sqltext.ParamSession, Name: "x-engine-team"},
		{Kind: sqltext.ParamLookup, Name: "other"},
		{Kind: sqltext.ParamEach, Index: 1},
		{Kind: sqltext.ParamList, List: []sqltext.Param{{Kind: sqltext.ParamVariable, Index: 1}}},
	} {
		_, err := p.Resolve(args, brackets{}.List)
		require.Error(t, err)
	}
}

// What a dialect lacks is a fault of the plan, never a text without it.
func TestWhatADialectLacks(t *testing.T) {
	t.Parallel()
	in := &sqltext.Scope{Alias: "t0"}
	for want, render := range map[string]func(*sqltext.Renderer){
		`unknown operator "_regex"`: func(r *sqltext.Renderer) { r.Condition(compare("name", "_regex", number("1")), in) },
		`operator "_between" has 1 operands, which isn't enough`: func(r *sqltext.Renderer) {
			r.Condition(compare("id", "_between", number("1")), in)
		},
		`unknown assignment "_append"`: func(r *sqltext.Renderer) {
			r.Assignments([]ir.Assignment{{Column: column("n"), Op: "_append", Value: number("1")}}, in)
		},
		`the dialect has no relation ir.Written`:     func(r *sqltext.Renderer) { r.From(ir.Written{Table: track}, in) },
		`the dialect has no expression ir.JSONPath`:  func(r *sqltext.Renderer) { r.Expr(ir.JSONPath{Expr: column("n")}, in) },
		`no aggregate function: "max(x)"`:            func(r *sqltext.Renderer) { r.AggregateFunction("max(x)") },
		`a function takes a row where there is none`: func(r *sqltext.Renderer) { r.Call(track, []ir.CallArg{{Row: true}}, nil) },
		`an update of no column`:                     func(r *sqltext.Renderer) { r.Update(&ir.Update{Table: track}) },
	} {
		r := newRenderer()
		render(r)
		require.EqualError(t, r.Err, want)
	}
}
