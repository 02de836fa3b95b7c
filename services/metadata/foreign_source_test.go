package metadata

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Sources of kinds that there is no backend for are inconsistent and nothing else: the others work, and
// they come back as they were given, from the database and from the stream too.
func TestSourcesOfForeignKinds(t *testing.T) {
	t.Parallel()
	w, i := startShop(t)
	const foreign = `{"tables":[{"table":{"schema":"dbo","name":"a<b>"},"weight":1.50}],"name":"ms","kind":"abacus","configuration":{"connection_info":{"connection_string":"x"}}}`
	document := i.export(t)
	document = strings.Replace(document, `"sources":[`, `"sources":[`+foreign+`,`, 1)
	listed := `[{"definition":"ms","name":"source ms","reason":"Inconsistent object: sources of kind \"abacus\" are not supported","type":"source"}]`

	refused := i.fails(t, v1metadata, `{"type":"replace_metadata","version":2,"args":{"metadata":`+document+`}}`,
		"unexpected", "$.args", "cannot continue due to inconsistent metadata")
	require.JSONEq(t, listed, refused.internal)
	require.JSONEq(t, `{"is_consistent":false,"inconsistent_objects":`+listed+`}`, i.ok(t,
		`{"type":"replace_metadata","version":2,"args":{"allow_inconsistent_metadata":true,"allow_warnings":false,"metadata":`+document+`}}`))
	require.Contains(t, i.export(t), foreign)
	require.NotNil(t, i.engine.State().Schema.Source("default"))
	i.fails(t, v1metadata, `{"type":"pg_track_table","args":{"source":"ms","table":"t"}}`, "not-exists", "$.args",
		`source with name "ms" has backend type abacus which does not match the expected type postgres`)
	i.fails(t, v1metadata, `{"type":"rename_source","args":{"name":"ms","new_name":"other"}}`, "not-supported", "$.args",
		`sources of kind abacus are not supported`)
	i.fails(t, v1metadata, `{"type":"set_query_tags","args":{"source_name":"ms"}}`, "not-supported", "$.args",
		`abacus sources do not support query-tags yet`)

	follower := w.follow(t, false)
	require.Equal(t, i.export(t), exported(t, waitFor(t, follower, i.version())))
	i.Stop()
	again := w.start(t)
	require.Contains(t, again.export(t), foreign)
	again.ok(t, `{"type":"drop_inconsistent_metadata","args":{}}`)
	require.Empty(t, again.engine.State().Inconsistent)
}
