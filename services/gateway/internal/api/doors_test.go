package api_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"
	"github.com/stretchr/testify/require"

	"queryengine/services/gateway/internal/api"
)

// TestEveryRouteSaysWhichDoorItIs holds that testdata/doors.txt names all routes, with the
// doors to the executors behind each, or why there is none.
func TestEveryRouteSaysWhichDoorItIs(t *testing.T) {
	t.Parallel()
	w := setup(t, func(w *world) {
		w.settings.Console, w.settings.MCP.Enabled = true, true
		for _, g := range []api.Group{api.GroupPGDump, api.GroupMetrics, api.GroupDev} {
			w.settings.Enabled[g] = true
		}
	})
	served, ok := w.server.Config.Handler.(*echo.Echo)
	require.True(t, ok)
	var found []string
	for _, r := range served.Routes() {
		if r.Method != "OPTIONS" && r.Method != "HEAD" { // HEAD is GET without the body
			found = append(found, r.Method+" "+r.Path)
		}
	}
	text, err := os.ReadFile("testdata/doors.txt")
	require.NoError(t, err)
	var named []string
	for line := range strings.Lines(string(text)) {
		route, door, ok := strings.Cut(strings.TrimSpace(line), " = ")
		require.True(t, ok && door != "", "%q has no door", line)
		named = append(named, route)
	}
	slices.Sort(found)
	slices.Sort(named)
	require.Equal(t, found, named, "each route needs a line that names its doors to the executors")
}
