package lookup_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/ir"
	"queryengine/services/query-executor/internal/lookup"
)

func TestValues(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		answer string
		want   []string
	}{
		{`[]`, nil},
		{`[{"value":1}, {"value":"a\"b"}, {"value":1.50}]`, []string{"1", `a"b`, "1.50"}},
	} {
		values, err := lookup.Values([]byte(tt.answer))
		require.NoError(t, err)
		require.Len(t, values, len(tt.want))
		for i, value := range values {
			require.Equal(t, tt.want[i], string(value))
		}
	}
	_, err := lookup.Values([]byte(`[{"value":`))
	require.Equal(t, "the answer to a lookup is malformed", apierror.From(err).Message)
	_, err = lookup.Values([]byte("[" + strings.Repeat(`{"value":1},`, 100_000) + `{"value":1}]`))
	require.Equal(t, "a rule on a remote relationship has more than 100000 values", apierror.From(err).Message)
}

func TestIn(t *testing.T) {
	t.Parallel()
	a, b := ir.Lookup{Source: "a"}, ir.Lookup{Source: "b"}
	among := func(l ir.Lookup) ir.BoolExp { return ir.Compare{Op: ir.OpIn, Args: []ir.Value{l}} }
	require.Empty(t, lookup.In(&ir.Select{}))
	require.Equal(t, []ir.Lookup{a, b}, lookup.In(&ir.Select{Rows: ir.Rows{Where: ir.Rule{Exp: ir.And{Exps: []ir.BoolExp{
		among(a), ir.Not{Exp: among(b)}, among(a),
	}}}}}))
}
