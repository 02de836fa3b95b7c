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
	described   = regexp.MustCompile(`fqName: "([^"]+)".*variableLabels: \{([^}]*)\}`)
	metricName  = regexp.MustCompile(`\bengine_[a-z0-9_]+`)
	metricRow   = regexp.MustCompile("(?m)^\\| `(engine_[a-z0-9_]+)` \\| ([^|]*)\\|")
	metricLabel = regexp.MustCompile("`[a-z_]+`")
)

// measured are the metrics of the engine's own that the services register, with their labels but
// the one that names the service.
func measured(t *testing.T) map[string][]string {
	t.Helper()
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

	found := map[string][]string{}
	registry, ok := env.Metrics.(prometheus.Collector)
	require.True(t, ok)
	descriptions := make(chan *prometheus.Desc, 1000)
	registry.Describe(descriptions)
	close(descriptions)
	for d := range descriptions {
		parts := described.FindStringSubmatch(d.String())
		require.NotNil(t, parts, d)
		if strings.HasPrefix(parts[1], "engine_") {
			found[parts[1]] = strings.FieldsFunc(parts[2], func(r rune) bool { return r == ',' })
		}
	}
	require.Greater(t, len(found), 30)
	return found
}

// TestDashboardsNameMetricsThatExist holds the dashboard and the alert rules to what the services
// measure.
func TestDashboardsNameMetricsThatExist(t *testing.T) {
	t.Parallel()
	known := measured(t)
	for _, name := range []string{"prometheus/alerts.yml", "grafana/queryengine.json"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "deploy", filepath.FromSlash(name)))
		require.NoError(t, err)
		used := metricName.FindAllString(string(text), -1)
		slices.Sort(used)
		require.NotEmpty(t, used, name)
		for _, metric := range slices.Compact(used) {
			require.Contains(t, known, strings.TrimSuffix(metric, "_bucket"), "%s: no code measures it", name)
		}
	}
}

// TestMetricsPage holds the table of docs/telemetry.md to what the services measure, labels
// and all.
func TestMetricsPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../../docs/telemetry.md")
	require.NoError(t, err)
	documented := map[string][]string{}
	for _, row := range metricRow.FindAllStringSubmatch(string(page), -1) {
		labels := metricLabel.FindAllString(row[2], -1)
		for i, l := range labels {
			labels[i] = strings.Trim(l, "`")
		}
		documented[row[1]] = labels
	}
	for name, labels := range measured(t) {
		require.Contains(t, documented, name)
		require.ElementsMatch(t, labels, documented[name], name)
		delete(documented, name)
	}
	require.Empty(t, documented, "no code measures these")
}

// TestPrometheusAsksWhereServicesAnswer holds its configuration to that of docker compose.
func TestPrometheusAsksWhereServicesAnswer(t *testing.T) {
	t.Parallel()
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", "..", filepath.FromSlash(name)))
		require.NoError(t, err)
		return string(text)
	}
	port := regexp.MustCompile(`ENGINE_GRAPHQL_STATUS_PORT: "(\d+)"`).FindStringSubmatch(read("docker-compose.yml"))
	require.NotNil(t, port)
	asked := read("deploy/prometheus/prometheus.yml")
	for _, service := range []string{"metadata", "query-executor", "event-delivery", "scheduler"} {
		require.Contains(t, asked, `"`+service+":"+port[1]+`"`)
	}
}
