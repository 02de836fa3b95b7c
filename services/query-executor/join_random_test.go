package queryexecutor

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend/kind"
	"queryengine/pkg/catalog"
	"queryengine/pkg/dbtest"
	"queryengine/pkg/metadata"
	"queryengine/pkg/snapshot"
	"queryengine/pkg/telemetry"
	planenv "queryengine/services/query-executor/internal/plan/env"
)

// TestRandomJoins asks for random trees of joins between two databases, and makes the answers
// again by joining their rows in memory.
func TestRandomJoins(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // G404: a test that can be repeated
	w := newWorld(random)
	e := w.executor(t)
	for range 150 {
		a := &asker{world: w, random: random}
		from := nodeTables[random.IntN(len(nodeTables))]
		query, answers := a.selection(from, 0)
		text := fmt.Sprintf("{ %s(order_by: {id: asc}) %s }", from, query)
		var want bytes.Buffer
		want.WriteString(`{"data":{"` + from + `":`)
		writeRows(&want, w.rows[from], answers)
		want.WriteString(`}}`)
		var got bytes.Buffer
		require.NoError(t, json.Compact(&got, answer(t, e, &request{session: adminSession(), text: text})), text)
		require.Equal(t, want.String(), got.String(), text)
	}
}

// nodeTables are a table in each of two sources.
var nodeTables = []string{"left_node", "right_node"}

// node is a row; a nil key is NULL.
type node struct {
	id int
	// number and word are keys.
	number *int
	word   *string
}

// hops are the relationships of both tables: to the other table, or to the same one.
var hops = []struct {
	name    string
	array   bool
	same    bool
	mapping map[string]string
	joined  func(from, to *node) bool
}{
	{"one", false, false, map[string]string{"number": "id"}, func(from, to *node) bool { return *from.number == to.id }},
	{"many", true, false, map[string]string{"number": "number"}, func(from, to *node) bool { return equal(from.number, to.number) }},
	{"pairs", true, false, map[string]string{"number": "number", "word": "word"}, func(from, to *node) bool {
		return equal(from.number, to.number) && equal(from.word, to.word)
	}},
	{"spelt", false, false, map[string]string{"word": "id"}, func(from, to *node) bool { return *from.word == strconv.Itoa(to.id) }},
	{"own", true, true, map[string]string{"id": "number"}, func(from, to *node) bool { return to.number != nil && from.id == *to.number }},
}

func equal[T comparable](a, b *T) bool { return a != nil && b != nil && *a == *b }

// missing reports whether a part of the key of a row is NULL.
func missing(n *node, mapping map[string]string) bool {
	_, number := mapping["number"]
	_, word := mapping["word"]
	return number && n.number == nil || word && n.word == nil
}

type world struct{ rows map[string][]*node }

func newWorld(random *rand.Rand) *world {
	w := &world{rows: map[string][]*node{}}
	for _, table := range nodeTables {
		for id := range 30 {
			n := &node{id: id + 1}
			if random.IntN(5) > 0 {
				number := random.IntN(40)
				n.number = &number
			}
			if random.IntN(5) > 0 {
				word := strconv.Itoa(random.IntN(20))
				n.word = &word
			}
			w.rows[table] = append(w.rows[table], n)
		}
	}
	return w
}

// executor is one with the world in two databases.
func (w *world) executor(t *testing.T) *Executor {
	t.Helper()
	urls := map[string]string{}
	env := func(name string) (string, bool) { return urls[name], true }
	doc := &metadata.Document{Version: 3}
	for i, table := range nodeTables {
		urls[table] = dbtest.URL(t)
		conn, err := pgx.Connect(t.Context(), urls[table])
		require.NoError(t, err)
		_, err = conn.Exec(t.Context(), "CREATE TABLE "+table+" (id int PRIMARY KEY, number bigint, word text)")
		require.NoError(t, err)
		for _, n := range w.rows[table] {
			_, err = conn.Exec(t.Context(), "INSERT INTO "+table+" VALUES ($1, $2, $3)", n.id, n.number, n.word)
			require.NoError(t, err)
		}
		require.NoError(t, conn.Close(t.Context()))
		doc.Sources = append(doc.Sources, w.source(t, table, nodeTables[1-i]))
	}
	e, err := newExecutor(Config{PlanCacheSize: 10, Limits: planenv.DefaultLimits}, Deps{Kinds: kind.All(env, serviceName), Logger: telemetry.Discard()})
	require.NoError(t, err)
	t.Cleanup(e.sources.Close)
	snap := &snapshot.Snapshot{Version: 1, Document: doc, Catalogs: map[string]*catalog.Source{}}
	for _, s := range doc.Sources {
		source, err := kind.All(env, serviceName).Open(s)
		require.NoError(t, err)
		snap.Catalogs[s.Name], err = source.Introspect(t.Context(), nil)
		source.Close()
		require.NoError(t, err)
	}
	e.apply(snap)
	require.Empty(t, e.state.Load().schema.Inconsistencies())
	return e
}

// source is the metadata of a table's source, which has the name of the table.
func (w *world) source(t *testing.T, table, other string) *metadata.Source {
	t.Helper()
	m := &metadata.Table{Table: catalog.Name{Schema: "public", Name: table}}
	for _, h := range hops {
		to := &metadata.ToSource{Source: other, Table: catalog.Name{Schema: "public", Name: other}, RelationshipType: metadata.ObjectRelationship, FieldMapping: h.mapping}
		if h.same {
			to.Source, to.Table.Name = table, table
		}
		if h.array {
			to.RelationshipType = metadata.ArrayRelationship
		}
		m.RemoteRelationships = append(m.RemoteRelationships, &metadata.RemoteRelationship{
			Name: h.name, Definition: metadata.RemoteRelationshipDefinition{ToSource: to},
		})
	}
	s := &metadata.Source{Name: table, Kind: metadata.DefaultKind, Tables: []*metadata.Table{m}}
	require.NoError(t, json.Unmarshal([]byte(`{"connection_info":{"database_url":{"from_env":"`+table+`"}}}`), &s.Configuration))
	return s
}

// asker writes random queries, and knows their answers.
type asker struct {
	*world
	random *rand.Rand
	keys   int
}

// member writes one member of the answer for a row.
type member func(b *bytes.Buffer, n *node)

// selection is a selection set on a table, and what it answers.
func (a *asker) selection(table string, depth int) (string, []member) {
	var fields []string
	var answers []member
	for range 1 + a.random.IntN(4) {
		a.keys++
		key := "f" + strconv.Itoa(a.keys)
		text, answer := "id", member(func(b *bytes.Buffer, n *node) { b.WriteString(strconv.Itoa(n.id)) })
		if depth < 4 && a.random.IntN(3) > 0 {
			text, answer = a.hop(table, depth)
		}
		fields = append(fields, key+": "+text)
		answers = append(answers, func(b *bytes.Buffer, n *node) {
			b.WriteString(`"` + key + `":`)
			answer(b, n)
		})
	}
	return "{ " + strings.Join(fields, " ") + " }", answers
}

// hop is a field that leads to another row or list of rows.
func (a *asker) hop(table string, depth int) (string, member) {
	h := hops[a.random.IntN(len(hops))]
	target := nodeTables[1-slices.Index(nodeTables, table)]
	if h.same {
		target = table
	}
	related := func(n *node) []*node {
		var list []*node
		for _, to := range a.rows[target] {
			if h.joined(n, to) {
				list = append(list, to)
			}
		}
		return list
	}
	if h.array && a.random.IntN(4) == 0 {
		return h.name + "_aggregate { aggregate { count } }", func(b *bytes.Buffer, n *node) {
			if missing(n, h.mapping) {
				b.WriteString("null")
				return
			}
			fmt.Fprintf(b, `{"aggregate":{"count":%d}}`, len(related(n)))
		}
	}
	selection, answers := a.selection(target, depth+1)
	if !h.array {
		return h.name + " " + selection, func(b *bytes.Buffer, n *node) {
			if missing(n, h.mapping) || len(related(n)) == 0 {
				b.WriteString("null")
				return
			}
			writeRow(b, related(n)[0], answers)
		}
	}
	least, limit, descending := a.random.IntN(20), 1+a.random.IntN(5), a.random.IntN(2) == 0
	order := "asc"
	if descending {
		order = "desc"
	}
	text := fmt.Sprintf("%s(where: {id: {_gt: %d}}, limit: %d, order_by: {id: %s}) %s", h.name, least, limit, order, selection)
	return text, func(b *bytes.Buffer, n *node) {
		if missing(n, h.mapping) {
			b.WriteString("null")
			return
		}
		list := slices.DeleteFunc(related(n), func(to *node) bool { return to.id <= least })
		slices.SortFunc(list, func(x, y *node) int {
			if descending {
				x, y = y, x
			}
			return cmp.Compare(x.id, y.id)
		})
		writeRows(b, list[:min(limit, len(list))], answers)
	}
}

func writeRow(b *bytes.Buffer, n *node, answers []member) {
	for i, write := range answers {
		b.WriteByte("{,"[min(i, 1)])
		write(b, n)
	}
	b.WriteByte('}')
}

func writeRows(b *bytes.Buffer, list []*node, answers []member) {
	b.WriteByte('[')
	for i, n := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		writeRow(b, n, answers)
	}
	b.WriteByte(']')
}
