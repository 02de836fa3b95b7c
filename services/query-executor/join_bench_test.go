package queryexecutor

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	queryv1 "queryengine/proto/query/v1"
)

// joinRows is how many rows the benchmarks join.
const joinRows = 1000

// benchmarkCost runs a query and, in turns with it, what it is compared with. own-ms/op is how
// long this process computes for the query more than for that. It returns how often it ran.
func benchmarkCost(b *testing.B, e *Executor, query string, beside func()) int {
	b.Helper()
	request := &queryv1.ExecuteRequest{Session: asAdmin(), Query: query}
	require.NoError(b, e.execute(b.Context(), request, &reply{})) // makes the plan
	var own time.Duration
	n := 0
	for b.Loop() {
		started := cpuTime(b)
		err := e.execute(b.Context(), request, &reply{})
		own += cpuTime(b) - started
		require.NoError(b, err)
		started = cpuTime(b)
		beside()
		own -= cpuTime(b) - started
		n++
	}
	b.ReportMetric(float64(own.Microseconds())/1000/float64(n), "own-ms/op")
	return n
}

// cannedJoin answers all requests to a remote schema alike.
type cannedJoin struct {
	*httptest.Server
	calls  int
	body   []byte // of the last request
	answer []byte
}

func newCannedJoin(b *testing.B) *cannedJoin {
	b.Helper()
	c := &cannedJoin{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.calls++
		c.body, _ = io.ReadAll(r.Body)
		_, _ = w.Write(c.answer)
	}))
	b.Cleanup(c.Close)
	return c
}

// answers sets the answer: an object for each row, with its number in it.
func (c *cannedJoin) answers(object string) {
	var text bytes.Buffer
	for i := range joinRows {
		fmt.Fprintf(&text, `,"f%d":`+object, i, i)
	}
	c.answer = []byte(`{"data":{` + text.String()[1:] + `}}`)
}

// call asks what the executor asked last.
func (c *cannedJoin) call(b *testing.B) {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), http.MethodPost, c.URL, bytes.NewReader(c.body))
	require.NoError(b, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(b, err)
	_, err = io.Copy(io.Discard, response.Body)
	require.NoError(b, err)
	require.NoError(b, response.Body.Close())
}

// BenchmarkRemoteJoin has rows with relationships to remote schemas, whose servers are in this
// process, too. They are compared with a client that asks these servers the same.
func BenchmarkRemoteJoin(b *testing.B) {
	first, second := newCannedJoin(b), newCannedJoin(b)
	e := newRemote(b, twoRemotes, Config{}, newRemoteServer(b), newRemoteServer(b))
	for i, c := range []*cannedJoin{first, second} {
		e.state.Load().snapshot.Document.RemoteSchemas[i].Definition.URL = &c.URL
	}
	relate(b, e, "artist", artistRelationships)
	runSQL(b, e, fmt.Sprintf("INSERT INTO artist (id, name) SELECT n, 'artist ' || n FROM generate_series(100, %d) n", 99+joinRows))
	second.answers(`{"name":"twin %d"}`)
	b.Run("one level", func(b *testing.B) {
		first.answers(`{"name":"person %d"}`)
		first.calls = 0
		n := benchmarkCost(b, e, `{ artist(where: {id: {_gte: 100}}) { name person { name } } }`, func() { first.call(b) })
		require.Equal(b, 2*n+1, first.calls)
	})
	b.Run("two levels", func(b *testing.B) {
		first.answers(`{"twin":%d}`)
		first.calls, second.calls = 0, 0
		n := benchmarkCost(b, e, `{ artist(where: {id: {_gte: 100}}) { name person { twin { name } } } }`, func() {
			first.call(b)
			second.call(b)
		})
		require.Equal(b, []int{2*n + 1, 2*n + 1}, []int{first.calls, second.calls})
	})
}

// BenchmarkSourceJoin has rows with a row of another source. They are compared with the rows.
func BenchmarkSourceJoin(b *testing.B) {
	e := newFixture(b, joins, Config{})
	runSQL(b, e, fmt.Sprintf(`INSERT INTO sale SELECT g, 1, g, 'north', 1, 'x', g FROM generate_series(100, %d) g`, 99+joinRows))
	crm, err := e.sources.Named("crm")
	require.NoError(b, err)
	_, err = crm.RunSQL(b.Context(), backend.RawSQL{SQL: fmt.Sprintf(
		`INSERT INTO customer SELECT g, 'customer ' || g, 'K' || g, 'north', 5 FROM generate_series(100, %d) g; ANALYZE customer`, 99+joinRows)})
	require.NoError(b, err)
	crm.Release()
	rows := &queryv1.ExecuteRequest{Session: asAdmin(), Query: `{ sale { id amount } }`}
	benchmarkCost(b, e, `{ sale { id amount customer { id name } } }`, func() {
		require.NoError(b, e.execute(b.Context(), rows, &reply{}))
	})
}
