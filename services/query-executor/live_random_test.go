package queryexecutor

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/dbtest"
	"queryengine/pkg/oracle"
	"queryengine/pkg/session"
	queryv1 "queryengine/proto/query/v1"
)

// watcher is a subscription to a random query.
type watcher struct {
	*oracle.Query
	id   uint64
	want any
	// told is how many results were looked at.
	told int
}

// quiet is for how long nothing comes after a change before it counts as seen: several intervals.
const quiet = 150 * time.Millisecond

// TestRandomSubscriptions: subscriptions of random roles on random schemas, with permissions and with policies, get each answer that is another
// one for the role after a random change, and nothing when the change is of what the role doesn't see.
func TestRandomSubscriptions(t *testing.T) {
	t.Parallel()
	databaseRole := dbtest.Role(t)
	db := postgresModels(t)
	pushed, spared := 0, 0
	for i := range modelsOf("PostgreSQL") {
		seed := *firstSeed + uint64(i) //nolint:gosec // G115: not negative
		m := oracle.New(seed, db.dialect)
		if i%3 == 2 {
			m.Police(databaseRole)
		}
		e := newModelFixture(t, db, m, seed)
		g := newGatewayOf(t, e)
		watchers := watch(t, g, m)
		for n := range uint64(queriesPerRole) {
			c := m.Change(oracle.Admin, n)
			if c == nil {
				continue
			}
			about := fmt.Sprintf("schema %d, change %d: %s\n%s", seed, n, c.Text, c.Variables)
			got, internal := ask(t, e, &request{session: &session.Session{Role: oracle.Admin, Variables: m.Session}, text: c.Text, variables: c.Variables})
			require.Empty(t, oracle.Differs(c.Apply(), got), "%s\n%s%s", about, got, internal)
			for _, w := range watchers {
				w.await(t, g, about)
			}
			time.Sleep(quiet)
			for _, w := range watchers {
				if more := w.count(t, g, about); more > 0 {
					pushed += more
				} else {
					spared++
				}
			}
			watchers = slices.DeleteFunc(watchers, func(w *watcher) bool { return w.want == nil })
		}
		e.live.Close()
		e.sources.Close()
	}
	t.Logf("%d results were right, %d times there was nothing to tell", pushed, spared)
	require.Positive(t, pushed)
	require.Positive(t, spared)
}

// watch subscribes roles of a model to queries that have one answer each.
func watch(t *testing.T, g *gateway, m *oracle.Model) []*watcher {
	t.Helper()
	var list []*watcher
	for _, role := range m.Roles {
		for n := range uint64(3) {
			q := m.Ask(role, n)
			if q == nil {
				continue
			}
			want, err := q.Answer()
			if err != nil {
				continue
			}
			w := &watcher{Query: q, id: uint64(len(list) + 1), want: want}
			err = g.join(w.id, &request{
				session: &session.Session{Role: role, Variables: m.Session},
				text:    strings.Replace(q.Text, "query ", "subscription ", 1), variables: q.Variables,
			}, nil)
			if err != nil {
				require.ErrorContains(t, err, "one top level field")
				continue
			}
			require.Empty(t, oracle.Differs(want, g.await(w.id, 1)[0].GetData()), "role %s: %s\n%s", role, q.Text, q.Variables)
			w.told = 1
			list = append(list, w)
		}
	}
	return list
}

// await waits for what a change makes of the answer.
func (w *watcher) await(t *testing.T, g *gateway, about string) {
	t.Helper()
	want, err := w.Again()
	if err != nil {
		w.want = nil // the rows that there are now can be in several orders
		return
	}
	w.want = want
	require.Eventually(t, func() bool { return w.isRight(g) }, 20*time.Second, time.Millisecond, w.about(about))
}

// count looks at the results since a change, which must be right in the end, and returns their number. Of two in a row none is as the other.
func (w *watcher) count(t *testing.T, g *gateway, about string) int {
	t.Helper()
	results := w.results(g)
	require.True(t, w.want == nil || w.isRight(g), w.about(about))
	for i := w.told; i < len(results); i++ {
		require.False(t, bytes.Equal(results[i-1].GetData(), results[i].GetData()), "the same again\n%s", w.about(about))
	}
	more := len(results) - w.told
	w.told = len(results)
	return more
}

func (w *watcher) results(g *gateway) []*queryv1.LiveResult {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.told[w.id])
}

func (w *watcher) isRight(g *gateway) bool {
	results := w.results(g)
	last := results[len(results)-1]
	return last.GetError() == nil && oracle.Differs(w.want, last.GetData()) == ""
}

func (w *watcher) about(change string) string {
	return fmt.Sprintf("role %s: %s\n%s\n%s", w.Role, w.Text, w.Variables, change)
}
