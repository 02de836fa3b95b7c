package metadata

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/bus"
)

// example begin

// change is a message of the stream METADATA.
type change struct {
	StreamID  string   `json:"stream_id"`
	Version   int64    `json:"version"`
	Base      int64    `json:"base"`
	Reference bool     `json:"reference"`
	Objects   []object `json:"objects"`
}

type object struct {
	Kind, Source, Schema, Name, Op string
	Value                          json.RawMessage
}

// key identifies an object: a later message with the same key replaces it.
type key struct{ kind, source, schema, name string }

// mirror keeps the objects that the stream describes.
type mirror struct {
	version int64
	objects map[key]json.RawMessage
	part    []byte // what came of a change in several messages
}

// take takes over one message.
func (m *mirror) take(header nats.Header, data []byte) error {
	m.part = append(m.part, data...)
	if n, of, _ := strings.Cut(header.Get("Engine-Part"), "/"); n != of {
		return nil // its other parts follow
	}
	var c change
	err := json.Unmarshal(m.part, &c)
	m.part = nil
	if err != nil || c.Version <= m.version {
		return err
	}
	for _, o := range c.Objects {
		k := key{o.Kind, o.Source, o.Schema, o.Name}
		if o.Op == "set" {
			m.objects[k] = o.Value
			continue
		}
		delete(m.objects, k)
		for inner := range m.objects { // what belongs to a source goes with it
			if o.Kind == "source" && inner.source == o.Source && (inner.kind == "table" || inner.kind == "function") {
				delete(m.objects, inner)
			}
		}
	}
	m.version = c.Version
	return nil
}

// follow takes what the stream holds, then what comes, and calls seen after each message.
func (m *mirror) follow(ctx context.Context, nc *nats.Conn, seen func(*mirror)) error {
	live, err := nc.SubscribeSync("engine.metadata.changes") // before reading, so that nothing is missed
	if err != nil {
		return err
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	stream, err := js.Stream(ctx, "METADATA")
	if err != nil {
		return err
	}
	state := stream.CachedInfo().State
	for n := state.FirstSeq; n <= state.LastSeq; n++ {
		stored, err := stream.GetMsg(ctx, n)
		if err != nil {
			return err
		}
		if err := m.take(stored.Header, stored.Data); err != nil {
			return err
		}
	}
	for {
		seen(m)
		message, err := live.NextMsgWithContext(ctx)
		if err != nil {
			return err
		}
		if err := m.take(message.Header, message.Data); err != nil {
			return err
		}
	}
}

// document makes the metadata document of the objects, as export_metadata has it.
func (m *mirror) document() map[string]any {
	sources := []map[string]any{}
	for _, s := range m.kind("source", "") {
		s["tables"] = m.kind("table", s["name"].(string))
		if functions := m.kind("function", s["name"].(string)); len(functions) > 0 {
			s["functions"] = functions
		}
		sources = append(sources, s)
	}
	doc := map[string]any{"version": 3, "sources": sources}
	for kind, list := range map[string]string{
		"remote_schema": "remote_schemas", "query_collection": "query_collections", "allowlist_entry": "allowlist", "action": "actions",
		"cron_trigger": "cron_triggers", "rest_endpoint": "rest_endpoints", "inherited_role": "inherited_roles",
	} {
		if objects := m.kind(kind, ""); len(objects) > 0 {
			doc[list] = objects
		}
	}
	for _, part := range []string{
		"custom_types", "api_limits", "metrics_config", "graphql_schema_introspection", "document_rules", "network", "backend_configs", "opentelemetry",
	} {
		if value := m.objects[key{kind: part}]; value != nil {
			doc[part] = value
		}
	}
	return doc
}

// kind lists the objects of a kind, of one source or of all, in the order of their names.
func (m *mirror) kind(kind, source string) []map[string]any {
	var keys []key
	for k := range m.objects {
		if k.kind == kind && (source == "" || k.source == source) {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b key) int {
		return strings.Compare(a.source+"\x00"+a.schema+"\x00"+a.name, b.source+"\x00"+b.schema+"\x00"+b.name)
	})
	list := []map[string]any{}
	for _, k := range keys {
		var value map[string]any
		if json.Unmarshal(m.objects[k], &value) == nil {
			list = append(list, value)
		}
	}
	return list
}

// example end

// TestConsumerOfTheDocumentation runs the example as a user who may only read. It is alone
// for the sake of the environment, which the server's configuration reads.
func TestConsumerOfTheDocumentation(t *testing.T) {
	source, err := os.ReadFile("consumer_test.go")
	require.NoError(t, err)
	_, text, _ := strings.Cut(string(source), "// example begin\n\n")
	text, _, _ = strings.Cut(text, "\n// example end")
	page, err := os.ReadFile("../../docs/metadata-stream.md")
	require.NoError(t, err)
	require.Contains(t, string(page), "```go of=services/metadata/consumer_test.go\n"+text+"```")

	w := newWorld(t, shop)
	w.nats.Stop()
	address := w.secured(t)
	i := w.start(t)
	for _, request := range []string{
		track,
		`{"type":"pg_create_select_permission","args":{"table":"kind","role":"clerk","permission":{"columns":"*","filter":{}}}}`,
		`{"type":"add_inherited_role","args":{"role_name":"lead","role_set":["clerk"]}}`,
		`{"type":"set_metrics_config","args":{"analyze_query_variables":true,"analyze_response_body":true}}`,
		`{"type":"pg_untrack_table","args":{"table":"stock","cascade":true}}`,
	} {
		i.ok(t, request)
	}
	last := i.version()
	require.Eventually(t, func() bool {
		info, err := i.bus.Changes().Info(t.Context())
		return err == nil && info.LastVersion == last
	}, 30*time.Second, 5*time.Millisecond)

	reader, err := nats.Connect(strings.Replace(address, "//", "//metadata-reader:of-metadata-reader@", 1), nats.CustomInboxPrefix("_INBOX_METADATA_READER"))
	require.NoError(t, err)
	t.Cleanup(reader.Close)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	m := &mirror{objects: map[key]json.RawMessage{}}
	changed := make(chan error, 1)
	_ = m.follow(ctx, reader, func(m *mirror) {
		switch m.version {
		case last: // what the stream held; one more change is to come by itself
			go func() {
				_, _, err := call(t, i.bus, v1metadata, `{"type":"pg_track_table","args":{"table":"stock"}}`)
				changed <- err
			}()
		case last + 1:
			cancel()
		}
	})
	require.NoError(t, <-changed)
	require.Equal(t, last+1, m.version)
	require.JSONEq(t, i.export(t), jsonOf(t, m.document()))

	requireReadOnly(t, reader)
}

// secured starts a NATS server as deploy/nats/secured.conf has it, which w uses from then
// on, and returns its address.
func (w *world) secured(t *testing.T) string {
	t.Helper()
	for _, user := range bus.AllUsers() {
		t.Setenv(bus.PasswordVariable(user), "of-"+user)
	}
	o, err := server.ProcessConfigFile(filepath.Join("..", "..", "deploy", "nats", "secured.conf"))
	require.NoError(t, err)
	o.Host, o.Port, o.HTTPHost, o.HTTPPort, o.StoreDir, o.SyncAlways, o.NoSigs = "127.0.0.1", -1, "", 0, t.TempDir(), false, true
	s, err := server.NewServer(o)
	require.NoError(t, err)
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	require.True(t, s.ReadyForConnections(20*time.Second))
	w.url = strings.Replace(s.ClientURL(), "//", "//metadata:of-metadata@", 1)
	return s.ClientURL()
}

// requireReadOnly tries to change things with a connection that may only read.
func requireReadOnly(t *testing.T, nc *nats.Conn) {
	t.Helper()
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(500*time.Millisecond))
	require.NoError(t, err)
	_, err = js.Publish(t.Context(), "engine.metadata.changes", []byte(`{}`))
	require.Error(t, err)
	require.Error(t, js.DeleteStream(t.Context(), "METADATA"))
	_, err = js.CreateConsumer(t.Context(), "METADATA", jetstream.ConsumerConfig{})
	require.Error(t, err)
	for _, subject := range []string{"engine.metadata.apply", "engine.query.execute", "$JS.API.STREAM.PURGE.METADATA"} {
		_, err = nc.Request(subject, nil, 500*time.Millisecond)
		require.Error(t, err, subject)
	}
	other, err := nc.SubscribeSync("_INBOX.>")
	if err == nil {
		_, err = other.NextMsg(500 * time.Millisecond)
	}
	require.Error(t, err)
	require.ErrorContains(t, nc.LastError(), "Permissions Violation")
}
