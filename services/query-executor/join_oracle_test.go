package queryexecutor

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/graphql-go/graphql"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend/kind"
	"queryengine/pkg/egress"
	"queryengine/pkg/telemetry"
	"queryengine/pkg/testlong"
	queryv1 "queryengine/proto/query/v1"
	planenv "queryengine/services/query-executor/internal/plan/env"
	"queryengine/services/query-executor/jointest"
)

var (
	joinWorlds = flag.Int("join-worlds", testlong.Of(1, 3), "how many random worlds the test of joins makes")
	firstWorld = flag.Uint64("join-world", 0, "the seed of the first of them")
)

// questionsPerRole is how many operations each role asks of a world.
const questionsPerRole = 60

// TestRandomJoinsOfAllPlaces asks random operations on two databases, two remote schemas and an
// action that are joined in all directions, and compares the answers with those of an oracle
// that joins all rows in memory. The places are called no more often than the depth of the
// operation needs.
func TestRandomJoinsOfAllPlaces(t *testing.T) {
	t.Parallel()
	for _, right := range []string{"postgres", "sqlite"} {
		for i := range *joinWorlds {
			seed := *firstWorld + uint64(i) //nolint:gosec // G115: not negative
			t.Run(right+" "+strconv.FormatUint(seed, 10), func(t *testing.T) {
				t.Parallel()
				p := newPlaces(t, seed, right)
				for n := range uint64(questionsPerRole) {
					for _, role := range []string{jointest.Admin, jointest.User} {
						p.require(t, role, n)
					}
				}
			})
		}
	}
}

// places are those of a world, and an executor that joins them.
type places struct {
	*jointest.World
	executor   *Executor
	statements *counter
	alpha      *remoteServer
	beta       *remoteServer
	made       atomic.Int64
}

func (p *places) require(t *testing.T, role string, n uint64) {
	t.Helper()
	q := p.Ask(role, n)
	about := fmt.Sprintf("role %s, question %d: %s", role, n, q)
	clear(p.statements.ran)
	p.made.Store(0)
	r := &reply{}
	err := p.executor.execute(t.Context(), &queryv1.ExecuteRequest{
		Session: &queryv1.Session{Role: role, Variables: map[string]string{"x-engine-role": role, "x-engine-most": strconv.Itoa(p.Most)}},
		Query:   q.Text, Variables: q.Variables,
	}, r)
	if err != nil {
		require.Fail(t, err.Error(), "%s\n%s", apierror.From(err).Internal, about)
	}
	require.Equal(t, string(q.Answer), unescaped.Replace(compact(t, r)), about)

	calls := map[string]int{}
	for name, n := range p.statements.ran {
		calls[name] = n
	}
	keys := map[string]int{}
	for name, s := range map[string]*remoteServer{jointest.Alpha: p.alpha, jointest.Beta: p.beta} {
		for _, asked := range s.asked() {
			calls[name]++
			if n := len(keyAlias.FindAllString(asked.Query, -1)); n > 0 {
				keys[name] += n
			}
		}
	}
	if made := p.made.Load(); made > 0 {
		calls[jointest.Maker] = int(made)
	}
	require.Equal(t, q.Calls, calls, about)
	require.Equal(t, q.Keys, keys, about)
}

// unescaped are characters that the servers of the test escape in JSON.
var unescaped = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&")

// keyAlias is the name of the field for a key in a request to a remote schema.
var keyAlias = regexp.MustCompile(`[ {]f\d+: `)

// newPlaces makes the places of a world. The source on the right is of a kind.
func newPlaces(t testing.TB, seed uint64, right string) *places {
	t.Helper()
	p := &places{World: jointest.New(seed)}
	urls := map[string]string{}
	kinds := map[string]string{jointest.Left: "postgres", jointest.Right: right}
	for table, of := range kinds {
		open := postgresModels
		if of == "sqlite" {
			open = sqliteModels
		}
		db := open(t)
		create, err := p.SQL(table, of)
		require.NoError(t, err)
		require.NoError(t, db.fill(t, create))
		urls[table] = db.address
	}
	handler := httptest.NewServer(http.HandlerFunc(p.make))
	t.Cleanup(handler.Close)
	p.alpha, p.beta = serve(t, p.AlphaSchema), serve(t, p.BetaSchema)
	urls[jointest.Alpha], urls[jointest.Beta], urls[jointest.Maker] = p.alpha.URL, p.beta.URL, handler.URL

	env := func(name string) (string, bool) { return urls[name], urls[name] != "" }
	c := Config{PlanCacheSize: 100, Limits: planenv.DefaultLimits, Egress: egress.DefaultConfig()}
	e, err := newExecutor(c, Deps{Kinds: kind.All(env, serviceName), Env: env, Logger: telemetry.Discard()})
	require.NoError(t, err)
	t.Cleanup(e.sources.Close)
	e.resolveOptions.RemoteSchemaPermissions = true
	document, err := p.Metadata(right, urls)
	require.NoError(t, err)
	snap := snapshotOf(t, document, env)
	snap.Remotes = map[string]json.RawMessage{jointest.Alpha: p.alpha.introspection(t), jointest.Beta: p.beta.introspection(t)}
	e.apply(snap)
	require.Empty(t, e.state.Load().schema.Inconsistencies())
	p.executor, p.statements = e, count(t, e)
	return p
}

func serve(t testing.TB, schema func() (graphql.Schema, error)) *remoteServer {
	t.Helper()
	s := &remoteServer{}
	var err error
	s.schema, err = schema()
	require.NoError(t, err)
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// make is the handler of the action.
func (p *places) make(w http.ResponseWriter, r *http.Request) {
	var call struct {
		Input struct{ IDs []int }
	}
	if err := json.NewDecoder(r.Body).Decode(&call); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	p.made.Add(1)
	var rows []*jointest.Row
	for _, id := range call.Input.IDs {
		rows = append(rows, p.Rows[jointest.Maker][id-1])
	}
	var b bytes.Buffer
	_ = json.NewEncoder(&b).Encode(rows)
	_, _ = io.WriteString(w, strings.NewReplacer(`"ID"`, `"id"`, `"Number"`, `"number"`, `"Word"`, `"word"`).Replace(b.String()))
}
