package metadata

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDroppedActionsForgetTheirCalls(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := w.start(t)
	const create = `{"type":"create_action","args":{"name":"rate","definition":{"kind":"asynchronous","handler":"http://handler","output_type":"Int"}}}`
	calls := func() int { return w.number(t, `SELECT count(*) FROM engine_catalog.engine_action_log`) }
	i.ok(t, create)
	w.sql(t, w.metadataURL, `INSERT INTO engine_catalog.engine_action_log (action_name, input_payload, request_headers, session_variables, metadata_version)
		VALUES ('rate', '{}', '{}', '{}', 2), ('rate', '{}', '{}', '{}', 2), ('other', '{}', '{}', '{}', 2)`)

	i.ok(t, `{"type":"drop_action","args":{"name":"rate","clear_data":false}}`)
	require.Equal(t, 3, calls())
	i.ok(t, create)
	// What isn't committed doesn't forget either.
	i.fails(t, v1metadata, `{"type":"bulk","args":[{"type":"drop_action","args":{"name":"rate"}},{"type":"drop_action","args":{"name":"none"}}]}`,
		"not-exists", "$.args[1].args", `action with name "none" does not exist`)
	require.Equal(t, 3, calls())
	i.ok(t, `{"type":"drop_action","args":{"name":"rate"}}`)
	require.Equal(t, 1, calls())
}
