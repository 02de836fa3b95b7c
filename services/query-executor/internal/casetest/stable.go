package casetest

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/catalog"
	"queryengine/pkg/snapshot"
)

// Catalogs are the catalogs of a feature as they are stored: without what differs between servers
// and databases, and without the functions that the metadata doesn't name.
func Catalogs(t testing.TB, found map[string]*catalog.Source, metadata []byte) []byte {
	t.Helper()
	stored := map[string]any{}
	for name, source := range found {
		c := *source
		c.Functions = map[catalog.Name][]*catalog.Function{}
		for f, overloads := range source.Functions {
			if strings.Contains(string(metadata), `"`+f.Name+`"`) {
				c.Functions[f] = overloads
			}
		}
		raw, err := snapshot.EncodeCatalog(&c)
		require.NoError(t, err)
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		var plain any
		require.NoError(t, d.Decode(&plain))
		s := stable{}
		stored[name] = s.value("", plain)
	}
	text, err := json.MarshalIndent(stored, "", " ")
	require.NoError(t, err)
	return text
}

// stable numbers the objects of a database in the order in which they are met.
type stable map[string]int

func (s stable) value(key string, v any) any {
	const firstOfUsers = 16384
	switch v := v.(type) {
	case []any:
		for i, item := range v {
			v[i] = s.value(key, item)
		}
	case map[string]any:
		var keys []string
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			v[k] = s.value(k, v[k])
		}
		if key == "extensions" {
			for name := range v {
				v[name] = "1"
			}
		}
	case json.Number:
		switch key {
		case "row_estimate":
			return -1
		case "version":
			return 150000
		}
	case string:
		if n, err := strconv.Atoi(v); key == "id" && err == nil && n >= firstOfUsers {
			if s[v] == 0 {
				s[v] = firstOfUsers + len(s)
			}
			return strconv.Itoa(s[v])
		}
	}
	return v
}
