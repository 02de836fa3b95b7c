package mssql

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/nodetest"
)

// unknownToParser is what the parser doesn't know of T-SQL, and what stands for it.
var unknownToParser = strings.NewReplacer(
	"geometry::STGeomFromText(", "STGeomFromText(",
	"geography::STGeomFromText(", "STGeomFromText(",
)

// TestStatementsAreTSQL parses each statement of the golden files by the grammar of T-SQL.
func TestStatementsAreTSQL(t *testing.T) {
	t.Parallel()
	directory := nodetest.Install(t, "testdata/tsql")
	// The parser has to find faults, of the kinds that rendering could make.
	texts := []string{
		"SELECT TOP (1 [a] FROM [t]", "SELECT [a] FROM [t] WHERE", "SELECT [a] INTO FROM [t]", "UPDATE t0 SET WHERE 1 = 1",
		"INSERT INTO [t] ([a]) OUTPUT VALUES (1)", "SELECT [a] FROM [t] FOR JSON PATHX", "SELECT (SELECT [a] FROM [t]", "SELECT [a] FROM [t] AS t0 JOIN ON 1 = 1",
	}
	broken := len(texts)
	all := statements(t)
	for _, s := range all {
		texts = append(texts, unknownToParser.Replace(s.text))
	}
	for _, text := range []string{describeColumnsSQL, describeChecksSQL, describeReferencesSQL, describeIndexesSQL, describeTriggersSQL} {
		all = append(all, rendered{group: "description", text: text})
		texts = append(texts, text)
	}
	given, err := json.Marshal(texts)
	require.NoError(t, err)
	var faults []*string
	require.NoError(t, json.Unmarshal(nodetest.Run(t, directory, bytes.NewReader(given), "check.mjs"), &faults))
	require.Len(t, faults, len(texts))
	for i, text := range texts[:broken] {
		require.NotNil(t, faults[i], "taken, but broken: %s", text)
	}
	for i, s := range all {
		if fault := faults[broken+i]; fault != nil {
			t.Errorf("%s/%s: %s\n%s", s.group, s.name, *fault, s.text)
		}
	}
}
