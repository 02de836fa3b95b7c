package metadata

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// importedSource is a source of an imported document that can't be used here, with the reason,
// and how a command with a prefix is refused.
type importedSource struct{ source, reason, prefix, code, refusal string }

// told is the reason as it stands in an answer.
func (s importedSource) told(t *testing.T) string { return strings.Trim(jsonOf(t, s.reason), `"`) }

var importedSources = map[string]importedSource{
	"unknown kind": {
		`{"name":"far","kind":"abacus","tables":[{"table":"beads","weight":1.50}],"configuration":{"rows":[1,2]}}`,
		`sources of kind "abacus" are not supported`,
		"pg", "not-exists", `source with name "far" has backend type abacus which does not match the expected type postgres`,
	},
	"data connector": {
		`{"name":"far","kind":"athena","tables":[{"table":["db","beads"]}],"configuration":{"value":{"jdbc":"x"},"template":null,"timeout":{"seconds":10}},"customization":{"root_fields":{"namespace":"far"}}}`,
		`sources of kind "athena" are not supported`,
		"pg", "not-exists", `source with name "far" has backend type athena which does not match the expected type postgres`,
	},
	"connection template": {
		`{"name":"far","kind":"postgres","tables":[{"table":{"name":"beads","schema":"public"}}],"configuration":{"connection_info":{"database_url":"postgres://nobody@127.0.0.1:1/none","isolation_level":"read-committed"},"connection_template":{"version":1,"template":"{{$.default}}"}}}`,
		`connection_template and connection_set are not supported: the primary would answer all requests`,
		"pg", "unexpected", `source with name "far" is inconsistent`,
	},
	"connection set": {
		`{"name":"far","kind":"postgres","tables":[{"table":{"name":"beads","schema":"public"}}],"configuration":{"connection_info":{"database_url":"postgres://nobody@127.0.0.1:1/none","isolation_level":"read-committed"},"connection_set":[{"name":"other","connection_info":{"database_url":"postgres://nobody@127.0.0.1:1/other","isolation_level":"read-committed"}}]}}`,
		`connection_template and connection_set are not supported: the primary would answer all requests`,
		"pg", "unexpected", `source with name "far" is inconsistent`,
	},
	"unreachable": {
		`{"name":"far","kind":"postgres","tables":[{"table":{"name":"beads","schema":"public"}}],"configuration":{"connection_info":{"database_url":"postgres://nobody@127.0.0.1:1/none","isolation_level":"read-committed"}}}`,
		`connection error`,
		"pg", "unexpected", `source with name "far" is inconsistent`,
	},
}

// TestImportOfSourcesThatCannotBeUsed: a document of another installation is taken whole. What can't
// be used is inconsistent and comes back byte for byte, and everything else works.
func TestImportOfSourcesThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	for name, c := range importedSources {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, i := startShop(t)
			i.ok(t, `{"type":"pg_track_table","args":{"table":"kind"}}`)
			const agents = `"backend_configs":{"dataconnector":{"athena":{"uri":"http://127.0.0.1:1"}}}`
			const beads = `"remote_relationships":[{"name":"beads","definition":{"to_source":{"source":"far","table":"beads","relationship_type":"array","field_mapping":{"id":"id"}}}}]`
			document := i.export(t)
			document = strings.Replace(document, `"sources":[`, `"sources":[`+c.source+`,`, 1)
			document = strings.Replace(document, `{"table":{"name":"kind","schema":"public"}`, `{"table":{"name":"kind","schema":"public"},`+beads, 1)
			document = strings.TrimSuffix(document, "}") + "," + agents + "}"

			before := i.export(t)
			_, _, err := call(t, i.bus, v1metadata, `{"type":"replace_metadata","version":2,"args":{"metadata":`+document+`}}`)
			require.ErrorContains(t, err, "cannot continue due to inconsistent metadata")
			require.Contains(t, detail(err), c.told(t))
			require.Equal(t, before, i.export(t))

			kept := func() {
				t.Helper()
				exported := i.export(t)
				require.Contains(t, exported, c.source)
				require.Contains(t, exported, agents)
				require.Contains(t, exported, `"name":"beads"`)
				var names []string
				for _, o := range i.engine.State().Inconsistent {
					names = append(names, o.Name)
				}
				require.ElementsMatch(t, []string{"source far", "remote_relationship beads in table kind in source default"}, names)
			}
			answer := i.ok(t, `{"type":"replace_metadata","version":2,"args":{"allow_inconsistent_metadata":true,"metadata":`+document+`}}`)
			require.Contains(t, answer, c.told(t))
			kept()
			answer = i.ok(t, `{"type":"reload_metadata","args":{"reload_sources":true}}`)
			require.Contains(t, answer, c.told(t))
			kept()

			// Everything else works, and can be changed.
			i.ok(t, `{"type":"pg_track_table","args":{"table":"stock"}}`)
			i.ok(t, `{"type":"pg_create_select_permission","args":{"table":"stock","role":"clerk","permission":{"columns":["id"],"filter":{}}}}`)
			i.ok(t, `{"type":"pg_update_source","args":{"name":"default","customization":{"type_names":{"prefix":"x"}}}}`)
			i.ok(t, `{"type":"create_query_collection","args":{"name":"mine","definition":{"queries":[{"name":"all","query":"query all { stock { id } }"}]}}}`)
			i.ok(t, `{"type":"create_rest_endpoint","args":{"name":"all","url":"all","methods":["GET"],"definition":{"query":{"collection_name":"mine","query_name":"all"}}}}`)
			i.fails(t, v1metadata, `{"type":"pg_create_remote_relationship","args":{"table":"stock","name":"beads","definition":{"to_source":{"source":"far","table":"beads","relationship_type":"array","field_mapping":{"id":"id"}}}}}`,
				"invalid-configuration", "$.args", `Inconsistent object: in table "stock": in remote relationship "beads": source not found: "far"`)
			i.fails(t, v1metadata, `{"type":"`+c.prefix+`_track_table","args":{"source":"far","table":"kind"}}`, c.code, "$.args", c.refusal)
			kept()

			// It is the same for those who follow, and after a restart.
			follower := w.follow(t, false)
			require.Equal(t, i.export(t), exported(t, waitFor(t, follower, i.version())))
			i.Stop()
			i = w.start(t)
			kept()

			i.ok(t, `{"type":"drop_inconsistent_metadata","args":{}}`)
			require.Empty(t, i.engine.State().Inconsistent)
			require.NotContains(t, i.export(t), `"far"`)
			require.Contains(t, i.export(t), `"clerk"`)
		})
	}
}
