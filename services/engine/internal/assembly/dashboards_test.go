package assembly

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/bus/natsserver"
	"queryengine/pkg/config"
	"queryengine/pkg/program"
)

var (
	described  = regexp.MustCompile(`fqName: "([^"]+)"`)
	metricName = regexp.MustCompile(`\bengine_[a-z0-9_]+`)
)

// TestDashboardsNameMetricsThatExist holds the dashboard and the alert rules to what the services
// measure.
func TestDashboardsNameMetricsThatExist(t *testing.T) {
	t.Parallel()
	nats, err := natsserver.Start(natsserver.Config{Dir: t.TempDir(), Port: -1, NoSync: true})
	require.NoError(t, err)
	t.Cleanup(nats.Stop)
	v, err := config.Load(config.Engine, []string{"--metadata-database-url", "postgres://nowhere"}, func(string) (string, bool) { return "", false }, io.Discard)
	require.NoError(t, err)
	env, err := program.Open(t.Context(), config.Engine, v, io.Discard, nats)
	require.NoError(t, err)
	t.Cleanup(env.Close)
	_, err = Services(env, config.RunServices.Get(v))
	require.NoError(t, err)

	measured := map[string]bool{}
	registry, ok := env.Gatherer.(prometheus.Collector)
	require.True(t, ok)
	descriptions := make(chan *prometheus.Desc, 1000)
	registry.Describe(descriptions)
	close(descriptions)
	for d := range descriptions {
		measured[described.FindStringSubmatch(d.String())[1]] = true
	}
	require.Greater(t, len(measured), 30)

	for _, name := range []string{"prometheus/alerts.yml", "grafana/queryengine.json"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "deploy", filepath.FromSlash(name)))
		require.NoError(t, err)
		used := metricName.FindAllString(string(text), -1)
		slices.Sort(used)
		require.NotEmpty(t, used, name)
		for _, metric := range slices.Compact(used) {
			require.True(t, measured[strings.TrimSuffix(metric, "_bucket")], "%s: nobody measures %s", name, metric)
		}
	}
}
