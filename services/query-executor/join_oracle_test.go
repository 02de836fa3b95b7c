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

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend/kind"
	"queryengine/pkg/egress"
	"queryengine/pkg/telemetry"
	"queryengine/pkg/testlong"
	queryv1 "queryengine/proto/query/v1"
	"queryengine/services/query-executor/internal/joinoracle"
	planenv "queryengine/services/query-executor/internal/plan/env"
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
					for _, role := range []string{joinoracle.Admin, joinoracle.User} {
						p.require(t, role, n)
					}
				}
			})
		}
	}
}

// places are those of a world, and an executor that joins them.
type places struct {
	*joinoracle.World
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
		Session: &queryv1.Session{Role: role, Variables: map[string]string{"x-engine-role": role, "x-engine-most": strconv.Itoa(joinoracle.Most)}},
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
	for name, s := range map[string]*remoteServer{joinoracle.Alpha: p.alpha, joinoracle.Beta: p.beta} {
		for _, asked := range s.asked() {
			calls[name]++
			if n := len(keyAlias.FindAllString(asked.Query, -1)); n > 0 {
				keys[name] += n
			}
		}
	}
	if made := p.made.Load(); made > 0 {
		calls[joinoracle.Maker] = int(made)
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
	p := &places{World: joinoracle.New(seed)}
	urls := map[string]string{}
	kinds := map[string]string{joinoracle.Left: "postgres", joinoracle.Right: right}
	for table, of := range kinds {
		open := postgresModels
		if of == "sqlite" {
			open = sqliteModels
		}
		db := open(t)
		raw, err := json.Marshal(p.Rows[table])
		require.NoError(t, err)
		require.NoError(t, db.fill(t, "CREATE TABLE "+table+" (id int PRIMARY KEY, number int, word text);\n"+rowsOf(table, raw, of)))
		urls[table] = db.address
	}
	handler := httptest.NewServer(http.HandlerFunc(p.make))
	t.Cleanup(handler.Close)
	p.alpha = serve(t, alphaSchema(t, p.Rows[joinoracle.Alpha]))
	p.beta = serve(t, betaSchema(t, p.Rows[joinoracle.Beta]))

	env := func(name string) (string, bool) { return urls[name], urls[name] != "" }
	c := Config{PlanCacheSize: 100, Limits: planenv.DefaultLimits, Egress: egress.DefaultConfig()}
	e, err := newExecutor(c, Deps{Kinds: kind.All(env, serviceName), Env: env, Logger: telemetry.Discard()})
	require.NoError(t, err)
	t.Cleanup(e.sources.Close)
	e.resolveOptions.RemoteSchemaPermissions = true
	document := strings.NewReplacer("ALPHA", p.alpha.URL, "BETA", p.beta.URL, "MAKER", handler.URL).Replace(joinedMetadata(t, right))
	snap := snapshotOf(t, []byte(document), env)
	snap.Remotes = map[string]json.RawMessage{joinoracle.Alpha: p.alpha.introspection(t), joinoracle.Beta: p.beta.introspection(t)}
	e.apply(snap)
	require.Empty(t, e.state.Load().schema.Inconsistencies())
	p.executor, p.statements = e, count(t, e)
	return p
}

// rowsOf inserts rows, which are given as JSON.
func rowsOf(table string, rows []byte, kind string) string {
	list := "'" + strings.ReplaceAll(string(rows), "'", "''") + "'"
	if kind == "sqlite" {
		return "INSERT INTO " + table + " SELECT value ->> 'ID', value ->> 'Number', value ->> 'Word' FROM json_each(" + list + ")"
	}
	return "INSERT INTO " + table + ` SELECT "ID", "Number", "Word" FROM json_to_recordset(` + list + `) AS r("ID" int, "Number" int, "Word" text)`
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
	var rows []*joinoracle.Row
	for _, id := range call.Input.IDs {
		rows = append(rows, p.Rows[joinoracle.Maker][id-1])
	}
	var b bytes.Buffer
	_ = json.NewEncoder(&b).Encode(rows)
	_, _ = io.WriteString(w, strings.NewReplacer(`"ID"`, `"id"`, `"Number"`, `"number"`, `"Word"`, `"word"`).Replace(b.String()))
}
