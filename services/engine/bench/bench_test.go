package bench

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/dbtest"
	"queryengine/services/engine/sample"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// TestYardsticksAgree holds both yardsticks to the same answers, and these to the numbers of
// rows that a measurement looks for.
func TestYardsticksAgree(t *testing.T) {
	t.Parallel()
	url := dbtest.URL(t)
	require.NoError(t, sample.Load(t.Context(), url, sample.Small))
	targets := map[string]*target{}
	for _, kind := range []string{"json", "rows"} {
		y, err := NewYardstick(t.Context(), kind, url, 4)
		require.NoError(t, err)
		t.Cleanup(y.Close)
		server := httptest.NewServer(y)
		t.Cleanup(server.Close)
		targets[kind] = &target{name: kind, address: server.Listener.Addr().String()}
	}
	var invoice atomic.Int64
	invoice.Store(firstNewInvoice)
	for _, q := range queries(&invoice) {
		_, err := targets["json"].ask(&q, q.variables(newClient(0, 7)))
		require.NoError(t, err, q.name)
		if answers("rows", &q) {
			require.NoError(t, compare(&q, targets["rows"], targets["json"]), q.name)
		}
	}
}

func TestWrongAnswersAreNoticed(t *testing.T) {
	t.Parallel()
	var status atomic.Int64
	status.Store(http.StatusOK)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(int(status.Load()))
		_, _ = w.Write([]byte(`{"data":{"tracks":[]}}`))
	}))
	defer server.Close()
	var invoice atomic.Int64
	q := &queries(&invoice)[1]
	fake := &target{name: "fake", address: server.Listener.Addr().String(), graphQL: true}
	c, err := newCrew(fake, q, 2)
	require.NoError(t, err)
	defer c.close()

	err = c.load(t.Context(), time.Second, &figures{})
	require.ErrorContains(t, err, `Q2 on fake: 0 times "duration_ms" instead of 20`)
	status.Store(http.StatusServiceUnavailable)
	err = c.load(t.Context(), time.Second, &figures{})
	require.ErrorContains(t, err, "status 503")
}

func TestNumeric(t *testing.T) {
	t.Parallel()
	for want, groups := range map[string][]uint16{ // number of groups, weight, sign, scale, groups
		"0.99":     {1, 0xffff, 0, 2, 9900},
		"0.00":     {0, 0, 0, 2},
		"12345.60": {3, 1, 0, 2, 1, 2345, 6000},
		"10000":    {1, 1, 0, 0, 1},
		"0.00012":  {2, 0xffff, 0, 5, 1, 2000},
	} {
		wire := make([]byte, 0, 16)
		for _, g := range groups {
			wire = binary.BigEndian.AppendUint16(wire, g)
		}
		require.Equal(t, want, string(appendNumeric(nil, wire)))
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	require.Equal(t, `"a\"b\\c\nd\u0001é"`, string(appendText(nil, []byte("a\"b\\c\nd\x01é"))))
	require.Equal(t, `null`, string(appendText(nil, nil)))
}

func TestCPUTimeOfThisProcess(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		_, err := cpuTime([]int{os.Getpid()})
		require.Error(t, err, "CPU time is read from /proc")
		return
	}
	before, err := cpuTime([]int{os.Getpid()})
	require.NoError(t, err)
	for deadline := time.Now().Add(10 * time.Second); ; {
		after, err := cpuTime([]int{os.Getpid()})
		require.NoError(t, err)
		if after > before {
			break
		}
		require.True(t, time.Now().Before(deadline), "a busy process has used no CPU time")
	}
	family, err := familyTime(os.Getppid())
	require.NoError(t, err)
	require.GreaterOrEqual(t, family, before, "this process is a child of its parent")
}

func TestReport(t *testing.T) {
	t.Parallel()
	var invoice atomic.Int64
	chosen, err := choose(queries(&invoice), []string{"Q1", "M1"})
	require.NoError(t, err)
	const clients = 16
	r := newReport(Options{Connections: []int{clients, 64}}, chosen, []*target{{name: "json"}, {name: "one"}})
	for i := range chosen {
		*r.figures(&chosen[i], clients, "json") = figures{
			requests: 100, elapsed: time.Second, latencies: []time.Duration{time.Millisecond}, cpu: time.Millisecond,
		}
	}
	r.figures(&chosen[0], clients, "json").rates = []float64{100, 100}
	others := time.Duration(runtime.NumCPU())*time.Second - 504*time.Millisecond
	*r.figures(&chosen[0], clients, "one") = figures{
		rates: []float64{45, 55}, requests: 50, elapsed: time.Second, cpu: time.Millisecond, databaseCPU: time.Millisecond, clientsCPU: 2 * time.Millisecond, othersCPU: others,
	}
	r.figures(&chosen[1], clients, "one").err = net.ErrClosed

	var out strings.Builder
	r.writeQuery(&out, &chosen[0], clients)
	require.Contains(t, out.String(), fmt.Sprintf("| Q1 | 16 | one | 50 | 0.50 ±0.05 | 0.00 | 0.00 | 0.00 | 20 | 20 | 40 | 0.25 | %.1f | 0.5 |", others.Seconds()))
	out.Reset()
	r.writeQuery(&out, &chosen[1], clients)
	require.Contains(t, out.String(), "use of closed network connection")
	out.Reset()
	r.writeSummary(&out)
	require.Contains(t, out.String(), "| one, 16 clients | 0.50 ±0.05 | - |\n| one, 64 clients | - | - |\n| goal, 16 clients | 0.95 | 0.95 |")
	_, err = choose(chosen, []string{"Q9"})
	require.Error(t, err)
}

func TestTimeOfAMeasurement(t *testing.T) {
	t.Parallel()
	o := Options{Duration: 5 * time.Second, Rounds: 5, Queries: []string{"M1", "I10k"}, TargetNames: []string{"one"}, Connections: []int{16, 64}}
	long, err := o.Time()
	require.NoError(t, err)
	o.Before = "earlier"
	more, err := o.Time()
	require.NoError(t, err)
	require.Equal(t, 3*(long-startTime), 2*(more-startTime), "the earlier build is one more target next to json and one")
	o.Before, o.Connections = "", o.Connections[:1]
	short, err := o.Time()
	require.NoError(t, err)
	require.Equal(t, 2*(5*time.Second+beginning+5*(warmUp+besides)), long-short, "many rows are not sent by 64 clients")
}

// TestWithExecution: the second engine's source has the execution, and everything else stays.
func TestWithExecution(t *testing.T) {
	t.Parallel()
	document, err := withExecution(sample.Metadata(), `{"share":"off"}`)
	require.NoError(t, err)
	var was, is struct {
		Metadata struct {
			Sources []struct {
				Tables        []any
				Configuration map[string]any
			}
		}
	}
	require.NoError(t, json.Unmarshal(sample.Metadata(), &was))
	require.NoError(t, json.Unmarshal(document, &is))
	was.Metadata.Sources[0].Configuration["execution"] = map[string]any{"share": "off"}
	require.Equal(t, was, is)
}
