package metadata

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"

	"queryengine/pkg/bus"
	metadatav1 "queryengine/proto/metadata/v1"
)

func TestHealthSaysWhetherTheDatabaseAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.start(t)
	ask := func() error {
		newEmpty := func() proto.Message { return &emptypb.Empty{} }
		_, _, err := s.bus.CallMessage(t.Context(), bus.MetadataHealth, newEmpty(), newEmpty, 0)
		return err
	}
	require.NoError(t, ask())

	// The database goes away under the service's feet.
	name := w.metadataURL[strings.LastIndexByte(w.metadataURL, '/')+1:]
	name, _, _ = strings.Cut(name, "?")
	w.sql(t, w.source, `DROP DATABASE "`+name+`" WITH (FORCE)`)
	err := ask()
	require.ErrorContains(t, err, "metadata database is unreachable")
	require.NotContains(t, err.Error(), name, "details are for the log")
}

func TestSourceHealth(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := w.start(t)
	i.ok(t, `{"type":"pg_update_source","args":{"name":"default","health_check":{"interval":1}}}`)
	i.ok(t, `{"type":"pg_update_source","args":{"name":"default","health_check":{"interval":1,"retries":0,"test":{"sql":"SELECT nothing"}}}}`)
	var reports map[string]struct {
		Status string
		Error  struct{ Message string }
	}
	require.Eventually(t, func() bool {
		_, body, err := i.bus.CallMessage(t.Context(), bus.SourceHealth, &metadatav1.SourceHealthRequest{},
			func() proto.Message { return &metadatav1.SourceHealthHead{} }, 1<<20)
		return err == nil && json.Unmarshal(body, &reports) == nil && reports["default"].Status == "ERROR"
	}, 30*time.Second, 50*time.Millisecond)
	require.NotEmpty(t, reports["default"].Error.Message)
	_, _, err := call(t, i.bus, v1metadata, `{"type":"pg_update_source","args":{"name":"default","health_check":{"retries":1}}}`)
	require.ErrorContains(t, err, `key "interval" not found`)
}
