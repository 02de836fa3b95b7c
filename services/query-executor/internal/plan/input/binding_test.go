package input

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend/postgres"
	"queryengine/pkg/catalog"
	"queryengine/services/query-executor/internal/schema"
)

// at is a place, by keys and indexes from the outside in.
func at(steps ...jsonPlace) *jsonPlace {
	var p *jsonPlace
	for _, s := range steps {
		p = &jsonPlace{p, s.key, s.index}
	}
	return p
}

func TestBindingOfAPart(t *testing.T) {
	t.Parallel()
	bindings := newBindings([]binding{{
		coercion: &Coercion{
			mode: modeList, element: catalog.Type{Name: "int4"},
			named: &schema.Type{Name: "Int"}, dialect: postgres.New(),
		},
		Origin: Origin{place: at(jsonPlace{key: "a", index: 1}, jsonPlace{index: 1}, jsonPlace{key: "_in"})},
		path:   &trail{&trail{&trail{&trail{nil, Step{Key: "selectionSet"}}, Step{Key: "x"}}, Step{Key: "args"}}, Step{Key: "where"}},
	}})
	text := func(value string) (string, error) {
		texts, err := bindings.Append(nil, [][]byte{[]byte(value)})
		if err != nil {
			return "", err
		}
		return string(texts[0]), nil
	}
	got, err := text(`{"b": 1, "a": [0, {"_in": [1, "2"]}]}`)
	require.NoError(t, err)
	require.Equal(t, `{"1","2"}`, got)
	got, err = text(`{"b": {}, "a": [{}, {"_in": 7}, 3], "c": [[]]}`)
	require.NoError(t, err)
	require.Equal(t, `{"7"}`, got)

	_, err = text(`{"b": 1, "a": [0, {"_in": [1, null]}]}`)
	var e *apierror.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, "$.selectionSet.x.args.where[1]", e.Path)
	_, err = text(`{"b": 1, "a": []}`)
	require.ErrorContains(t, err, "expected a list, but found null")
	_, err = text(`{"a": [0, {"_in": 7}], "b": 1}`)
	require.ErrorIs(t, err, ErrReshape, "the keys are in another order")
}

// TestBindingOfAnotherForm holds that a plan isn't used for a value that needs another
// function of the database to become one.
func TestBindingOfAnotherForm(t *testing.T) {
	t.Parallel()
	b := newBindings([]binding{{
		coercion: &Coercion{
			mode: modeValue, element: catalog.Type{Name: "geometry"},
			named: &schema.Type{Name: "geometry"}, Nullable: true, dialect: postgres.New(),
		},
		wrap: "geojson",
	}})
	const point = `{"type":"Point","coordinates":[1,2]}`
	texts, err := b.Append(nil, [][]byte{[]byte(point)})
	require.NoError(t, err)
	require.JSONEq(t, point, string(texts[0]))
	_, err = b.Append(nil, [][]byte{[]byte(`"POINT(1 2)"`)})
	require.ErrorIs(t, err, ErrReshape)
	texts, err = b.Append(nil, [][]byte{nil})
	require.NoError(t, err)
	require.Nil(t, texts[0])
}
