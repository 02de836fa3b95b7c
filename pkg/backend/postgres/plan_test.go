package postgres

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/pkg/session"
)

// Types of hand-made plans.
var (
	int4Type    = catalog.Type{Name: "int4", ID: "23"}
	int8Type    = catalog.Type{Name: "int8", ID: "20"}
	textType    = catalog.Type{Name: "text", ID: "25"}
	numericType = catalog.Type{Name: "numeric", ID: "1700"}
	jsonbType   = catalog.Type{Name: "jsonb", ID: "3802"}
)

func public(name string) catalog.Name { return catalog.Name{Schema: "public", Name: name} }

func table(name string) ir.Rows { return ir.Rows{From: ir.Table{Name: public(name)}} }

// stored is a table of which it is known that its rows are what the database stores.
func stored(name string) ir.Table { return ir.Table{Name: public(name), Stored: true} }

// field is a key with the value of the column of its name.
func field(name string, t catalog.Type) ir.Field {
	return ir.Field{Alias: name, Value: ir.Scalar{Expr: ir.Column{Name: name, Type: t}, Type: t}}
}

// fieldsOf are all columns of a table.
func fieldsOf(t *catalog.Table) []ir.Field {
	fields := make([]ir.Field, len(t.Columns))
	for i, c := range t.Columns {
		fields[i] = field(c.Name, c.Type)
	}
	return fields
}

func equals(column string, t catalog.Type, v ir.Value) ir.BoolExp {
	return ir.Compare{Left: ir.Column{Name: column, Type: t}, Op: ir.OpEq, Args: []ir.Value{v}}
}

func number4(text string) ir.Literal { return ir.Literal{Text: text, Type: int4Type} }

// ways are the texts of one plan: the one that is used, and the ones it is held to.
func ways(t *testing.T, root ir.Root, o backend.RenderOptions) map[string]*statement {
	t.Helper()
	st, err := New().RenderQuery(root, o)
	require.NoError(t, err)
	stmt := st.(*statement)
	byDatabase := func(m mode) *statement {
		text, err := stmt.render(m)
		require.NoError(t, err)
		return &statement{render: stmt.render, utc: text, local: func() (*rendered, error) { return text, nil }}
	}
	return map[string]*statement{
		"binary": stmt,
		"local":  byDatabase(mode{local: true}),
		"json":   byDatabase(mode{json: true}),
	}
}

// answerOf runs a statement and gives its answer.
func answerOf(t *testing.T, s *Source, st backend.Statement, a backend.Args) string {
	t.Helper()
	out := backend.NewAnswer(nil, nil, 0)
	require.NoError(t, s.Query(t.Context(), st, a, out), st.SQL())
	return string(out.Buf)
}

// sameAnswer runs a plan in all ways, which must agree, and gives the answer.
func sameAnswer(t *testing.T, s *Source, root ir.Root, o backend.RenderOptions, a backend.Args) string {
	t.Helper()
	all := ways(t, root, o)
	want := answerOf(t, s, all["json"], a)
	for name, st := range all {
		if got := answerOf(t, s, st, a); got != want {
			at := 0
			for at < len(got) && at < len(want) && got[at] == want[at] {
				at++
			}
			from := max(0, at-40)
			require.Equal(t, want[from:min(len(want), at+60)], got[from:min(len(got), at+60)], "%s: %s", name, st.SQL())
		}
	}
	return want
}

func as(role string, variables map[string]string) *session.Session {
	all := map[string]string{session.RoleHeader: role}
	for k, v := range variables {
		all[k] = v
	}
	return &session.Session{Role: role, Variables: all}
}
