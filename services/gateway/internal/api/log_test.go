package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/bus"
	"queryengine/pkg/logtype"
	"queryengine/pkg/querylog"
	"queryengine/pkg/telemetry"
	"queryengine/services/gateway/internal/api"
)

// lineOutput hands on the lines of a log, one or more at a time.
type lineOutput chan []byte

func (o lineOutput) Write(p []byte) (int, error) {
	o <- append([]byte(nil), p...)
	return len(p), nil
}

// TestMaskedVariablesStayOutOfLines holds that no line shows a masked value, whatever it is part
// of: a request in order, one that can't be read, or one that is only explained.
func TestMaskedVariablesStayOutOfLines(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ path, body, shown string }{
		"request":      {"/v1/graphql", `{"query":"{a}","variables":{"pin":"open sesame","x":1}}`, `"variables":{"pin":"[MASKED]","x":1}`},
		"broken":       {"/v1/graphql", `{"variables":{"pin":"open sesame"},"query":"{a}"`, `"raw_query":"[MASKED]"`},
		"no request":   {"/v1/graphql", `{"variables":{"pin":"open sesame"},"query":1}`, `"raw_query":"[MASKED]"`},
		"explanation":  {"/v1/graphql/explain", `{"query":{"query":"{a}","variables":{"pin":"open sesame","x":1}}}`, `"variables":{"pin":"[MASKED]","x":1}`},
		"broken batch": {"/v1/graphql", `[{"query":"{a}","variables":{"pin":"open sesame","x":1}},`, `"raw_query":"[MASKED]"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := make(lineOutput, 10)
			log, err := telemetry.NewLog(out, "info", []string{string(logtype.HTTP), string(logtype.Query)})
			require.NoError(t, err)
			w := setup(t, func(w *world) {
				w.settings.Logging = api.LogSettings{Masked: querylog.NewMask([]string{"pin"})}
				w.deps.Log = log.Logger("gateway")
				w.bus.answer = func(context.Context, bus.Endpoint, proto.Message, bus.Sink) error { return nil }
			})
			w.send(t, http.MethodPost, c.path, c.body, admin...)
			line := <-out
			require.True(t, json.Valid(line), "%s", line)
			require.NotContains(t, string(line), "open sesame")
			require.Contains(t, string(line), c.shown)
		})
	}
}

// TestHealthyProbesAreNoNews holds that health checks have a line only when something is wrong.
func TestHealthyProbesAreNoNews(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault error
		lines []string
	}{
		"well": {nil, []string{`"url":"/v1/version"`}},
		"ill":  {errors.New("the bus is gone"), []string{`"status":500`, `"url":"/v1/version"`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			log, err := telemetry.NewLog(&out, "info", []string{string(logtype.HTTP)})
			require.NoError(t, err)
			w := setup(t, func(w *world) {
				w.deps.Log = log.Logger("gateway")
				w.deps.Health = func(context.Context) error { return c.fault }
			})
			w.send(t, http.MethodGet, "/healthz", "")
			w.send(t, http.MethodGet, "/v1/version", "")
			log.Flush()
			lines := slices.Collect(strings.Lines(out.String()))
			require.Len(t, lines, len(c.lines))
			for i, want := range c.lines {
				require.Contains(t, lines[i], want)
			}
		})
	}
}
