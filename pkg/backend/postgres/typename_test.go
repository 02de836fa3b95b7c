package postgres

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/catalog"
)

func TestNamedType(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]catalog.Type{
		"integer":                     {Name: "int4", ID: "23"},
		"INT[]":                       {Name: "int4", ID: "23", Dims: 1},
		"character  varying(20)":      {Name: "varchar", ID: "1043"},
		"numeric(10, 2)[]":            {Name: "numeric", ID: "1700", Dims: 1},
		"timestamp(3) with time zone": {Name: "timestamptz", ID: "1184"},
		"timestamp without time zone": {Name: "timestamp", ID: "1114"},
		"double precision":            {Name: "float8", ID: "701"},
		"text":                        {Name: "text", ID: "25"},
	} {
		got, ok := New().NamedType(name)
		require.True(t, ok, name)
		require.Equal(t, want, got, name)
	}
	for _, name := range []string{"", "mood", "int4); DROP TABLE x; --", "public.int4"} {
		_, ok := New().NamedType(name)
		require.False(t, ok, name)
	}
}
