package catalog_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/catalog"
)

func TestNameDecodesFromBothForms(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]catalog.Name{
		`"stock"`:                          {Name: "stock"},
		`{"name":"stock"}`:                 {Name: "stock"},
		`{"name":"stock","schema":"hub"}`:  {Schema: "hub", Name: "stock"},
		`{"name":"stock","dataset":"hub"}`: {Schema: "hub", Name: "stock"},
	} {
		var n catalog.Name
		require.NoError(t, json.Unmarshal([]byte(text), &n), text)
		require.Equal(t, want, n)
	}
}

func TestNameThatIsNoneIsRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{}`:           `key "name" not found`,
		`7`:            "parsing QualifiedObject failed",
		`{"name":[1]}`: "parsing QualifiedObject failed",
	} {
		var n catalog.Name
		require.ErrorContains(t, json.Unmarshal([]byte(text), &n), want, text)
	}
}
