package console

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/metadata"
)

func TestWhatARequestMayDo(t *testing.T) {
	t.Parallel()
	registry := metadata.NewRegistry(metadata.Kinds{})
	for name, c := range map[string]struct {
		body string
		want effect
	}{
		"no JSON":                   {`{`, effect{modifies: true}},
		"what isn't known":          {`{"type":"of_another_version","args":{}}`, effect{modifies: true}},
		"reading":                   {`{"type":"export_metadata","args":{}}`, effect{}},
		"a change":                  {`{"type":"clear_metadata","args":{}}`, effect{modifies: true}},
		"a dry run":                 {`{"type":"clear_metadata","args":{},"dry_run":true}`, effect{}},
		"SQL":                       {`{"type":"run_sql","args":{"sql":"A"}}`, effect{modifies: true, sql: []statement{{"default", "A", false}}}},
		"SQL of a source":           {`{"type":"pg_run_sql","args":{"source":"shop","sql":"A"}}`, effect{modifies: true, sql: []statement{{"shop", "A", false}}}},
		"SQL without a transaction": {`{"type":"run_sql","args":{"sql":"A","no_transaction":true}}`, effect{modifies: true, sql: []statement{{"default", "A", true}}}},
		"SQL that reads":            {`{"type":"run_sql","args":{"sql":"A","read_only":true}}`, effect{}},
		"SQL that is tried":         {`{"type":"run_sql","args":{"sql":"A","dry_run":true}}`, effect{}},
		"several": {
			`{"type":"bulk","args":[{"type":"export_metadata","args":{}},{"type":"run_sql","args":{"sql":"A"}},{"type":"run_sql","args":{"source":"shop","sql":"B"}}]}`,
			effect{modifies: true, partial: true, sql: []statement{{"default", "A", false}, {"shop", "B", false}}},
		},
		"several that read": {`{"type":"bulk","args":[{"type":"export_metadata","args":{}}]}`, effect{}},
		"one of several":    {`{"type":"bulk","args":[{"type":"run_sql","args":{"sql":"A"}}]}`, effect{modifies: true, sql: []statement{{"default", "A", false}}}},
		"SQL before what may be refused": {
			`{"type":"bulk","args":[{"type":"run_sql","args":{"sql":"A"}},{"type":"clear_metadata","args":{}}]}`,
			effect{modifies: true, partial: true, sql: []statement{{"default", "A", false}}},
		},
	} {
		require.Equal(t, c.want, examine(registry, metadata.APIQueryV1, json.RawMessage(c.body)), name)
	}
}

func TestWhichSQLBecomesAMigration(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"CREATE TABLE a ()": true, "alter table a add b int": true, "drop view v": true, "GRANT SELECT ON a TO b": true,
		"COMMENT  ON TABLE a IS 'x'": true, "SELECT create_hypertable('a', 'b')": true, "INSERT INTO a VALUES (1)": false,
		"UPDATE created SET dropped = true": false, "SELECT recreate FROM alterations": false,
	} {
		list := []statement{{source: "default", text: text}}
		require.Equal(t, want, choice{}.migrates(list), text)
		require.True(t, choice{mode: always}.migrates(list), text)
		require.False(t, choice{mode: never}.migrates(list), text)
	}
	require.False(t, choice{mode: always}.migrates(nil))
}

func TestNamesAndTheWayBack(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"CREATE TABLE public.stock (id int)":      "create_table_public",
		"-- a note\n/* and\nanother */ DROP VIEW": "drop_view",
		"/* nothing */": "sql",
		"🙂":             "sql",
	} {
		require.Equal(t, want, usualName(text), text)
	}
	require.Equal(t, "-- Write here what takes this back:\n-- CREATE TABLE a ();\n-- DROP TABLE b\n", usualDown("CREATE TABLE a ();\r\nDROP TABLE b"))
}
