package metadata

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/bus"
	"queryengine/pkg/session"
	"queryengine/pkg/snapshot"
	metadatav1 "queryengine/proto/metadata/v1"
	queryv1 "queryengine/proto/query/v1"
)

func TestBulkStoresAllOrNothing(t *testing.T) {
	t.Parallel()
	_, i := startShop(t)
	version := i.version()
	require.Equal(t, `[]`, i.ok(t, `{"type":"bulk","args":[]}`))
	require.Equal(t, version, i.version())
	i.fails(t, v1metadata, `{"type":"bulk","args":[{"type":"pg_track_table","args":{"table":"kind"}},{"type":"bulk","args":[{"type":"pg_track_table","args":{"table":"kind"}}]}]}`,
		"already-tracked", "$.args[1].args[0].args", `view/table already tracked: "kind"`)
	i.fails(t, v1metadata, `{"type":"bulk","args":[{"type":"pg_track_table","args":{}}]}`, "parse-failed", "$.args[0].args",
		"Error when parsing command track_table.\nSee our documentation at docs/metadata-api.md.\nInternal error message: key \"table\" not found")
	i.fails(t, v1metadata, `{"type":"bulk","args":{}}`, "parse-failed", "$.args", "parsing [] failed, expected Array, but encountered Object")
	require.Equal(t, version, i.version())
	require.Empty(t, i.engine.State().Document.Source("default").Tables)

	i.ok(t, track)
	require.Equal(t, version+1, i.version())
}

func TestBulkKeepsGoing(t *testing.T) {
	t.Parallel()
	_, i := startShop(t)
	require.JSONEq(t, `[{"message":"success"},
		{"error":"view/table already tracked: \"kind\"","path":"$.args[1].args","code":"already-tracked"},
		{"error":"Inconsistent object: no such table/view exists in source: \"none\"","path":"$.args[2].args","code":"invalid-configuration",
		 "internal":[{"definition":{"name":"none","schema":"public"},"name":"table none in source default","type":"table",
			"reason":"Inconsistent object: no such table/view exists in source: \"none\""}]},
		{"message":"success"}]`,
		i.ok(t, `{"type":"bulk_keep_going","args":[{"type":"pg_track_table","args":{"table":"kind"}},{"type":"pg_track_table","args":{"table":"kind"}},
			{"type":"pg_track_table","args":{"table":"none"}},{"type":"pg_track_table","args":{"table":"stock"}}]}`))
	require.Len(t, i.engine.State().Document.Source("default").Tables, 2)
}

func TestBulkAtomicBuildsOnce(t *testing.T) {
	t.Parallel()
	_, i := startShop(t)
	i.ok(t, track)
	require.JSONEq(t, `{"message":"success"}`, i.ok(t, `{"type":"bulk_atomic","args":[
		{"type":"pg_drop_relationship","args":{"table":"stock","relationship":"kind"}},
		{"type":"pg_create_object_relationship","args":{"table":"stock","name":"kind","using":{"manual_configuration":{"remote_table":"kind","column_mapping":{"id":"id"}}}}}]}`))
	i.fails(t, v1metadata, `{"type":"bulk_atomic","args":[{"type":"pg_untrack_table","args":{"table":"kind"}}]}`, "unexpected", "$.args[0]",
		"Bulk atomic does not support this command")
	e := i.fails(t, v1metadata, `{"type":"bulk_atomic","args":[{"type":"pg_create_object_relationship","args":{"table":"stock","name":"x","using":{"foreign_key_constraint_on":"qty"}}}]}`,
		"bad-request", "$.args", "Schema inconsistency")
	require.Contains(t, e.internal, `[[{`)
}

func TestManyTablesAtOnce(t *testing.T) {
	t.Parallel()
	_, i := startShop(t)
	require.JSONEq(t, `{"message":"success","warnings":[
		{"message":"Inconsistent object: no such table/view exists in source: \"none\"","type":"table","name":"table none in source default","code":"track-table-failed"},
		{"message":"source with name \"crm\" does not exist","type":"table","name":"table kind in source crm","code":"track-table-failed"}]}`,
		i.ok(t, `{"type":"pg_track_tables","args":{"tables":[{"table":"kind"},{"table":"none"},{"table":"stock"},{"table":"kind","source":"crm"}]}}`))
	require.Len(t, i.engine.State().Document.Source("default").Tables, 2)
	i.fails(t, v1metadata, `{"type":"pg_track_tables","args":{"tables":[{"table":"none"}]}}`, "invalid-configuration", "$.args", "all tables failed to track")
	version := i.version()
	i.fails(t, v1metadata, `{"type":"pg_untrack_tables","args":{"allow_warnings":false,"tables":[{"table":"kind"},{"table":"none"}]}}`,
		"metadata-warnings", "$.args", "failed due to metadata warnings")
	require.Equal(t, version, i.version())
	require.JSONEq(t, `{"message":"success"}`, i.ok(t, `{"type":"pg_untrack_tables","args":{"tables":[{"table":"kind"},{"table":"stock"}]}}`))
	require.Empty(t, i.engine.State().Document.Source("default").Tables)
}

// TestTablesThatNeedEachOther holds that tables are untracked together though each depends on another one, unless one of them stays.
func TestTablesThatNeedEachOther(t *testing.T) {
	t.Parallel()
	_, i := startShop(t)
	i.ok(t, track) // with relationships in both directions
	tables := func() int { return len(i.engine.State().Document.Source("default").Tables) }
	untrack := func(names ...string) string {
		list := make([]string, len(names))
		for n, name := range names {
			list[n] = fmt.Sprintf(`{"table":%q}`, name)
		}
		return `{"type":"pg_untrack_tables","args":{"tables":[` + strings.Join(list, ",") + `]}}`
	}
	const none = "all tables failed to untrack"
	i.fails(t, v1metadata, untrack("kind"), "invalid-configuration", "$.args", none)
	i.fails(t, v1metadata, untrack("stock", "none"), "invalid-configuration", "$.args", none)

	i.run(t, `CREATE TABLE hall (id int PRIMARY KEY, kind_id int REFERENCES kind)`)
	i.ok(t, `{"type":"pg_track_table","args":{"table":"hall"}}`)
	i.ok(t, `{"type":"pg_create_object_relationship","args":{"table":"hall","name":"kind","using":{"foreign_key_constraint_on":"kind_id"}}}`)
	e := i.fails(t, v1metadata, untrack("stock", "kind"), "invalid-configuration", "$.args", none)
	require.Contains(t, e.internal, `cannot drop due to the following dependent objects: relationship hall.kind in source`)
	require.Contains(t, e.internal, `cannot drop due to the following dependent objects: relationship kind.stocks in source`)
	require.Equal(t, 3, tables())

	require.JSONEq(t, `{"message":"success"}`, i.ok(t, untrack("stock", "hall", "kind")))
	require.Zero(t, tables())
	i.ok(t, track)
	require.Contains(t, i.ok(t, untrack("kind", "none", "stock")), "untrack-table-failed")
	require.Zero(t, tables())
}

// TestBulkOfTheDeprecatedEndpointSeesItself: an operation on rows in a bulk request works
// with the metadata that the elements before it have made.
func TestBulkOfTheDeprecatedEndpointSeesItself(t *testing.T) {
	t.Parallel()
	w, i := startShop(t)
	executor := w.connect(t)
	registered, err := executor.Register(t.Context(), bus.ServiceInfo{Name: bus.ServiceQueryExecutor, Version: "0.0.0"})
	require.NoError(t, err)
	first := i.version()
	var seen []string
	require.NoError(t, registered.Handle(bus.DataExecute, func() proto.Message { return &queryv1.DataRequest{} },
		func(_ context.Context, m proto.Message, rw bus.ResponseWriter) error {
			r := m.(*queryv1.DataRequest)
			s := i.engine.State().Snapshot
			if len(r.GetOverlay()) > 0 {
				change, err := snapshot.DecodeChange(r.GetOverlay())
				if err != nil {
					return err
				}
				if s, err = s.Apply(change); err != nil {
					return err
				}
			}
			seen = append(seen, fmt.Sprintf("%s %d %d", r.GetSession().GetRole(), r.GetMinVersion()-first, len(s.Document.Source("default").Tables)))
			if strings.Contains(string(r.GetBody()), "fail") {
				return apierror.At(apierror.New(apierror.NotExists, "no such table"), "args", "table")
			}
			_, err := rw.Write([]byte(`{"affected_rows":1}`))
			return err
		}))
	require.JSONEq(t, `[{"affected_rows":1},{"message":"success"},{"affected_rows":1}]`, i.okAt(t, v1query, `{"type":"bulk","args":[
		{"type":"insert","args":{}},{"type":"track_table","args":"kind"},{"type":"insert","args":{}}]}`))
	require.Equal(t, []string{"admin 0 0", "admin 0 1"}, seen)

	// What changes nothing needs no more than the gateway knows: newer versions may wait for NATS.
	for _, known := range []int64{first, first + 1, first + 5} {
		seen = nil
		_, _, err = i.bus.CallMessage(t.Context(), bus.MetadataApply, &metadatav1.ApplyRequest{
			Endpoint: v1query, Body: []byte(`{"type":"bulk","args":[{"type":"select","args":{}}]}`), MinVersion: known,
			Session: (&session.Session{Role: "clerk"}).Proto(),
		}, func() proto.Message { return &metadatav1.ApplyHead{} }, 1<<20)
		require.NoError(t, err)
		require.Equal(t, []string{fmt.Sprintf("clerk %d 1", min(known, first+1)-first)}, seen)
	}
	i.fails(t, v1query, `{"type":"bulk","args":[{"type":"track_table","args":"stock"},{"type":"select","args":{"table":"fail"}}]}`,
		"not-exists", "$.args[1].args.table", "no such table")
	i.fails(t, v2query, `{"type":"bulk","args":[{"type":"select","args":{"table":"fail"}}]}`, "not-exists", "$[0].table", "no such table")
	require.Len(t, i.engine.State().Document.Source("default").Tables, 1)
}
