package plan

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend/postgres"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/services/query-executor/internal/schema"
)

func TestBindingText(t *testing.T) {
	t.Parallel()
	b := Binding{
		coercion: &coercion{
			mode: modeList, element: catalog.Type{Name: "int4"}, operand: catalog.Type{Name: "int4", Dims: 1},
			named: &schema.Type{Name: "Int"}, dialect: postgres.New(),
		},
		way:  []step{{key: "a"}, {index: 1}, {key: "_in"}},
		path: "$.selectionSet.x.args.where",
	}
	text, err := b.Text([][]byte{[]byte(`{"b": 1, "a": [0, {"_in": [1, "2"]}]}`)})
	require.NoError(t, err)
	require.Equal(t, `{"1","2"}`, string(text))
	text, err = b.Text([][]byte{[]byte(`{"a": [0, {"_in": 7}]}`)})
	require.NoError(t, err)
	require.Equal(t, `{"7"}`, string(text))

	_, err = b.Text([][]byte{[]byte(`{"a": [0, {"_in": [1, null]}]}`)})
	var e *apierror.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, "$.selectionSet.x.args.where[1]", e.Path)
	_, err = b.Text([][]byte{[]byte(`{"a": []}`)})
	require.ErrorContains(t, err, "expected a list, but found null")
}

// TestBindingOfAnotherForm holds that a plan isn't used for a value that needs another
// function of the database to become one.
func TestBindingOfAnotherForm(t *testing.T) {
	t.Parallel()
	b := Binding{
		coercion: &coercion{
			mode: modeValue, element: catalog.Type{Name: "geometry"}, operand: catalog.Type{Name: "geometry"},
			named: &schema.Type{Name: "geometry"}, nullable: true, dialect: postgres.New(),
		},
		wrap: ir.WrapGeoJSON,
	}
	const point = `{"type":"Point","coordinates":[1,2]}`
	text, err := b.Text([][]byte{[]byte(point)})
	require.NoError(t, err)
	require.JSONEq(t, point, string(text))
	_, err = b.Text([][]byte{[]byte(`"POINT(1 2)"`)})
	require.ErrorIs(t, err, ErrReshape)
	text, err = b.Text([][]byte{nil})
	require.NoError(t, err)
	require.Nil(t, text)
}
