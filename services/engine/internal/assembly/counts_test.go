package assembly

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/dbtest"
	"queryengine/services/engine/bench"
	"queryengine/services/engine/sample"
)

var updateCounts = flag.Bool("update-counts", false, "write what requests take now into .ci/counts.json")

// counts is what one request takes: SQL statements and round trips to the source and messages
// over the bus, which don't depend on the machine, and allocations of the whole process, the test's
// own client among them, which hardly do.
type counts struct {
	Statements  int `json:"statements"`
	RoundTrips  int `json:"round_trips"`
	Messages    int `json:"messages"`
	Allocations int `json:"allocations"`
	// Large is true for an answer that goes through several buffers.
	Large bool `json:"large,omitempty"`
}

// largeAnswer is the size in bytes of an answer that goes through several buffers.
const largeAnswer = 256 << 10

// mostAllocations may be a fiftieth more than is known, and three: buffers that are kept for the next
// request are sometimes in the wrong place. How much of a large answer a buffer takes is a question of
// time: the busier the machine, the more pieces. Anything done per row takes thousands more.
func (c counts) mostAllocations() int {
	if c.Large {
		return c.Allocations + c.Allocations/2
	}
	return c.Allocations + c.Allocations/50 + 3
}

// leastAllocations: with fewer the file is out of date. Of an answer of many messages, how many go
// together is a question of time.
func (c counts) leastAllocations() int { return c.Allocations - c.Allocations/4 - 10 }

// mostMessages: a large answer is sent in more pieces on a busy machine, too.
func (c counts) mostMessages() int {
	if c.Large {
		return 2 * c.Messages
	}
	return c.Messages + c.Messages/4
}

// TestCountsPerRequest: requests take no more statements, round trips, messages and allocations than
// .ci/counts.json allows.
func TestCountsPerRequest(t *testing.T) { //nolint:paralleltest // it counts what the process allocates
	if raceDetector {
		t.Skip("the race detector allocates, too")
	}
	file := filepath.Join("..", "..", "..", "..", ".ci", "counts.json")
	var want map[string]map[string]counts
	if !*updateCounts {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &want))
	}
	have := map[string]map[string]counts{"one": countAll(t, false, want["one"]), "split": countAll(t, true, want["split"])}
	if *updateCounts {
		text, err := json.MarshalIndent(have, "", "  ")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, append(text, '\n'), 0o600))
		return
	}
	for _, fault := range compareCounts(have, want) {
		t.Error(fault)
	}
	if t.Failed() {
		t.Log("when that is as it should be: make counts COUNTS=-update-counts")
	}
}

// compareCounts reports where requests take more than they may, or far less than recorded.
func compareCounts(have, want map[string]map[string]counts) (faults []string) {
	for _, how := range slices.Sorted(maps.Keys(have)) {
		for _, name := range slices.Sorted(maps.Keys(have[how])) {
			for _, fault := range have[how][name].against(want[how][name]) {
				faults = append(faults, fmt.Sprintf("%s of %s takes %s", name, how, fault))
			}
		}
	}
	return faults
}

// against reports what is more than it may be, or far less than recorded.
func (c counts) against(known counts) (faults []string) {
	for _, f := range []struct {
		what              string
		have, least, most int
	}{
		{"statements", c.Statements, known.Statements, known.Statements},
		{"round trips", c.RoundTrips, known.RoundTrips, known.RoundTrips},
		{"messages", c.Messages, known.Messages - known.Messages/4, known.mostMessages()},
		{"allocations", c.Allocations, known.leastAllocations(), known.mostAllocations()},
	} {
		switch {
		case f.have > f.most:
			faults = append(faults, fmt.Sprintf("%d %s, more than %d", f.have, f.what, f.most))
		case f.have < f.least:
			faults = append(faults, fmt.Sprintf("only %d %s: lower the numbers", f.have, f.what))
		}
	}
	return faults
}

func TestCountsThatGrowAreNoticed(t *testing.T) {
	t.Parallel()
	known := counts{Statements: 1, RoundTrips: 1, Messages: 2, Allocations: 300}
	of := func(c counts) map[string]map[string]counts {
		return map[string]map[string]counts{"one": {"Q1": c}}
	}
	for _, c := range []struct {
		change func(*counts)
		want   string
	}{
		{func(*counts) {}, ""},
		{func(c *counts) { c.Allocations += 9 }, ""},
		{func(c *counts) { c.Allocations += 10 }, "Q1 of one takes 310 allocations, more than 309"},
		{func(c *counts) { c.Allocations -= 86 }, "Q1 of one takes only 214 allocations: lower the numbers"},
		{func(c *counts) { c.Statements++ }, "Q1 of one takes 2 statements, more than 1"},
		{func(c *counts) { c.RoundTrips++ }, "Q1 of one takes 2 round trips, more than 1"},
		{func(c *counts) { c.Messages++ }, "Q1 of one takes 3 messages, more than 2"},
		{func(c *counts) { c.Messages-- }, "Q1 of one takes only 1 messages: lower the numbers"},
	} {
		changed := known
		c.change(&changed)
		faults := compareCounts(of(changed), of(known))
		if c.want == "" {
			require.Empty(t, faults)
			continue
		}
		require.Equal(t, []string{c.want}, faults)
	}
	known.Large = true
	for messages, faults := range map[int]int{4: 0, 5: 1} {
		many := known
		many.Messages = messages
		require.Len(t, many.against(counts{Statements: 1, RoundTrips: 1, Messages: 2, Allocations: 300, Large: true}), faults)
	}
	known.Allocations += 150
	require.Empty(t, known.against(counts{Statements: 1, RoundTrips: 1, Messages: 2, Allocations: 300, Large: true}))
	known.Allocations++
	require.Len(t, known.against(counts{Statements: 1, RoundTrips: 1, Messages: 2, Allocations: 300, Large: true}), 1)
}

// countAll counts for all requests, with all services in one process or each on its own.
func countAll(t *testing.T, apart bool, known map[string]counts) map[string]counts {
	t.Helper()
	source := dbtest.URL(t)
	require.NoError(t, sample.Load(t.Context(), source, sample.Small))
	proxy := startSQLProxy(t, source)
	s := startSystem(t, apart, "--metadata-database-url", dbtest.URL(t), "--database-url", proxy.url,
		"--enabled-log-types", "startup")
	address, err := json.Marshal(proxy.url)
	require.NoError(t, err)
	const variable = `{"from_env": "ENGINE_GRAPHQL_DATABASE_URL"}`
	require.Contains(t, string(sample.Metadata()), variable)
	replaced := strings.ReplaceAll(string(sample.Metadata()), variable, string(address))
	for _, body := range []string{
		`{"type":"replace_metadata","args":` + replaced + `}`, bench.Permissions,
	} {
		status, answer := s.post("/v1/metadata", body, nil)
		require.Equal(t, http.StatusOK, status, answer)
	}
	db, err := pgx.Connect(t.Context(), source)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close(t.Context())) }()

	var last int
	require.NoError(t, db.QueryRow(t.Context(), `SELECT max(id) FROM invoices`).Scan(&last))

	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection empties pools
	all := map[string]counts{}
	for _, r := range bench.Requests() {
		all[r.Name] = countRequest(t, s, proxy, &r, apart, known[r.Name])
		if r.Write { // later requests find the sample as it was
			_, err := db.Exec(t.Context(), fmt.Sprintf(`DELETE FROM invoice_lines WHERE invoice_id > %[1]d; DELETE FROM invoices WHERE id > %[1]d`, last))
			require.NoError(t, err)
		}
		debug.FreeOSMemory()
	}
	return all
}

// countRequest sends a request many times, and takes the least of a few turns: what services do by
// themselves at any time counts, too. As long as that is more than is known, it goes on for a
// while. Messages are counted where services are apart.
func countRequest(t *testing.T, s *system, proxy *sqlProxy, r *bench.Request, apart bool, known counts) counts {
	t.Helper()
	const warm, fewest, most, each = 8, 3, 40, 5
	large := false
	ask := func() {
		status, answer := s.post("/v1/graphql", string(r.Body()), r.Headers)
		large = len(answer) >= largeAnswer
		require.Equal(t, http.StatusOK, status, answer)
		require.NoError(t, r.Check([]byte(answer)), r.Name)
	}
	for range warm {
		ask()
	}
	var least counts
	for turn := range most {
		statements, trips, before := proxy.statements.Load(), proxy.trips.Load(), s.messages()
		c := counts{Allocations: int(testing.AllocsPerRun(each, ask))}
		const runs = each + 1 // AllocsPerRun runs it once more
		c.Statements = int(proxy.statements.Load()-statements) / runs
		c.RoundTrips = int(proxy.trips.Load()-trips) / runs
		if apart {
			c.Messages = int(s.messages()-before) / runs
		}
		if turn == 0 {
			least = c
		}
		least = counts{
			min(least.Statements, c.Statements), min(least.RoundTrips, c.RoundTrips),
			min(least.Messages, c.Messages), min(least.Allocations, c.Allocations), large,
		}
		if turn+1 >= fewest && len(least.against(known)) == 0 || known == (counts{}) && turn+1 == 4*fewest {
			break
		}
	}
	return least
}

func (s *system) messages() int64 {
	n, err := s.nats.Messages()
	require.NoError(s.t, err)
	return n
}

// sqlProxy forwards the messages of clients to PostgreSQL, and counts the statements that they run and
// the points at which they wait for the server.
type sqlProxy struct {
	url               string
	statements, trips atomic.Int64
}

func startSQLProxy(t *testing.T, database string) *sqlProxy {
	t.Helper()
	to, err := url.Parse(database)
	require.NoError(t, err)
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	var group sync.WaitGroup
	t.Cleanup(func() { _ = l.Close(); group.Wait() })
	p := &sqlProxy{}
	address := to.Host
	group.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			group.Go(func() { p.pass(client, address) })
		}
	})
	to.Host = l.Addr().String()
	query := to.Query()
	query.Set("sslmode", "disable")
	query.Set("plan_cache_mode", "auto") // as configured, no other way to plan is tried
	to.RawQuery = query.Encode()
	p.url = to.String()
	return p
}

func (p *sqlProxy) pass(client net.Conn, address string) {
	defer client.Close()
	server, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer server.Close()
	go func() {
		_, _ = io.Copy(client, server)
		_ = client.Close()
	}()
	var pending []byte
	begun := false // the first message has no type
	buffer := make([]byte, 64<<10)
	for {
		n, err := client.Read(buffer)
		if err != nil {
			return
		}
		pending = append(pending, buffer[:n]...)
		for {
			head := 5
			if !begun {
				head = 4
			}
			if len(pending) < head {
				break
			}
			size := int(binary.BigEndian.Uint32(pending[head-4:])) + head - 4
			if len(pending) < size {
				break
			}
			if begun {
				p.count(pending[0])
			}
			begun = true
			pending = append(pending[:0], pending[size:]...)
		}
		if _, err := io.Copy(server, bytes.NewReader(buffer[:n])); err != nil {
			return
		}
	}
}

// count counts a message of a client.
func (p *sqlProxy) count(kind byte) {
	switch kind {
	case 'E': // Execute
		p.statements.Add(1)
	case 'Q': // a statement and the end of what is sent
		p.statements.Add(1)
		p.trips.Add(1)
	case 'S': // Sync
		p.trips.Add(1)
	}
}
