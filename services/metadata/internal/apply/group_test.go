package apply

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/kind"
	"queryengine/pkg/backend/open"
	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
	"queryengine/pkg/session"
	"queryengine/pkg/snapshot"
	"queryengine/services/metadata/internal/remotes"
)

// memorySource is a database that has a catalog and nothing else.
type memorySource struct {
	backend.Source
	catalog *catalog.Source
}

func (m *memorySource) Introspect(context.Context, []catalog.Name) (*catalog.Source, error) {
	return m.catalog, nil
}

func (m *memorySource) IntrospectPart(context.Context, backend.Part, []catalog.Name) (*catalog.Source, error) {
	return m.catalog, nil
}

func (*memorySource) Close() {}

// queryCheck takes the text of a query for the name of a relationship that some table must have.
type queryCheck struct{ base *snapshot.Snapshot }

func (q *queryCheck) Check(_ context.Context, documents []string, _ int64, overlay *snapshot.Change) ([]string, error) {
	doc := q.base.Document
	if overlay != nil {
		next, err := q.base.Apply(overlay)
		if err != nil {
			return nil, err
		}
		doc = next.Document
	}
	problems := make([]string, len(documents))
	for i, d := range documents {
		name := strings.Trim(d, "{} ")
		if !slices.ContainsFunc(doc.Sources[0].Tables, func(t *metadata.Table) bool {
			return slices.ContainsFunc(t.ObjectRelationships, func(r *metadata.Relationship) bool { return r.Name == name })
		}) {
			problems[i] = "no field " + name
		}
	}
	return problems, nil
}

func (*queryCheck) Execute(context.Context, DataOperation) (json.RawMessage, error) {
	return nil, apierror.New(apierror.Unexpected, "there are no rows")
}

const groupTables = 5

func public(name string) catalog.Name { return catalog.Name{Schema: "public", Name: name} }

// groupCatalog has tables t0 to t4, each of which refers to the one before, and functions on them.
func groupCatalog(tables int) *catalog.Source {
	c := &catalog.Source{
		Tables: map[catalog.Name]*catalog.Table{}, Functions: map[catalog.Name][]*catalog.Function{},
		Enums: map[catalog.Name][]catalog.EnumValue{},
	}
	number := catalog.Type{Name: "int4"}
	for n := range tables {
		t := &catalog.Table{
			Name: public(fmt.Sprintf("t%d", n)), ID: strconv.Itoa(n + 1), Kind: catalog.KindTable, Insertable: true, Updatable: true, Deletable: true,
			Columns: []*catalog.Column{
				{Name: "id", ID: "1", Type: number},
				{Name: "parent", ID: "2", Type: number, Nullable: true},
				{Name: "label", ID: "3", Type: number, Nullable: true},
			},
			PrimaryKey: &catalog.Constraint{Name: "pkey", Columns: []string{"id"}},
		}
		if n > 0 {
			t.ForeignKeys = []catalog.ForeignKey{{
				Name: "fkey", Target: public(fmt.Sprintf("t%d", n-1)), Columns: []string{"parent"}, TargetColumns: []string{"id"},
			}}
		}
		c.Tables[t.Name] = t
		row := catalog.Type{Name: t.Name.Name, Schema: "public", Kind: catalog.TypeComposite}
		size := public(fmt.Sprintf("size%d", n))
		c.Functions[size] = []*catalog.Function{{
			Name: size, Volatility: catalog.Stable, Return: number, Args: []catalog.Argument{{Name: "r", Type: row, Table: &t.Name}},
		}}
		all := public(fmt.Sprintf("all%d", n))
		c.Functions[all] = []*catalog.Function{{
			Name: all, Volatility: catalog.Stable, Return: row, ReturnTable: &t.Name, ReturnsSet: true,
		}}
	}
	return c
}

type groupBench struct {
	engine *Engine
	source *memorySource
	check  *queryCheck
}

func newGroupBench() *groupBench {
	b := &groupBench{source: &memorySource{catalog: groupCatalog(groupTables)}, check: &queryCheck{}}
	b.engine = New(Config{
		Sources: open.New(func(*metadata.Source) (backend.Source, error) { return b.source, nil }),
		Remotes: remotes.New(nil, os.LookupEnv, slog.New(slog.DiscardHandler)), Data: b.check, Logger: slog.New(slog.DiscardHandler),
		Resolve: resolve.Options{
			Kinds: kind.All(os.LookupEnv, "test"), InferFunctionPermissions: true,
		},
	})
	return b
}

// empty is the state of a source of which nothing is tracked.
func (b *groupBench) empty(t testing.TB) *State {
	t.Helper()
	doc, err := metadata.Parse(json.RawMessage(`{"version":3,"sources":[{"name":"default","kind":"postgres","tables":[],`+
		`"configuration":{"connection_info":{"database_url":"x"}}}]}`), nil, kind.All(os.LookupEnv, "test").Metadata())
	require.NoError(t, err)
	return newState(&snapshot.Snapshot{Document: doc, Catalogs: map[string]*catalog.Source{"default": b.source.catalog}}, nil, b.engine.Resolve)
}

func (b *groupBench) work(base *State) *work {
	b.check.base = base.Snapshot
	return b.engine.newWork(Request{API: metadata.APIMetadata, Session: &session.Session{Role: session.Admin}}, base)
}

func (b *groupBench) parse(t testing.TB, kind string, requests []string) bulkStep {
	t.Helper()
	body := json.RawMessage(`{"type":"` + kind + `","args":[` + strings.Join(requests, ",") + `]}`)
	envelope, err := metadata.ParseEnvelope(body)
	require.NoError(t, err)
	s, err := b.engine.parse(metadata.APIMetadata, envelope)
	require.NoError(t, err, string(body))
	return s.(bulkStep)
}

// oneByOne is what a bulk would be if each element were resolved by itself.
func (w *work) oneByOne(ctx context.Context, b bulkStep) (json.RawMessage, error) {
	w.goesOn = b.mode == metadata.BulkKeepGoing
	var answers []json.RawMessage
	for i := range b.steps {
		more, err := w.alone(ctx, b, i, &pace{})
		if err != nil {
			return nil, err
		}
		answers = append(answers, more...)
	}
	return metadata.Encode(answers)
}

// outcome is all that can be seen of a bulk.
type outcome struct{ answer, failure, document, inconsistent string }

func outcomeOf(t testing.TB, w *work, body json.RawMessage, err error) outcome {
	t.Helper()
	text := func(v any) string {
		raw, err := metadata.Encode(v)
		require.NoError(t, err)
		return string(raw)
	}
	o := outcome{answer: string(body), document: text(w.current.Document), inconsistent: text(w.current.Inconsistent)}
	if w.refused != nil {
		o.answer += fmt.Sprintf(" refused: %v", w.refused)
	}
	if err != nil {
		e := apierror.From(err)
		o = outcome{failure: fmt.Sprintf("%s %s %s %s", e.Code, e.Path, e.Message, e.InternalJSON())}
	}
	return o
}

// randomStep is a request that may suit the metadata or not.
func randomStep(r *rand.Rand) string {
	n := r.IntN(groupTables)
	table := fmt.Sprintf(`"table":"t%d"`, n)
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	role := pick("clerk", "boss", "mix")
	cascade := pick("true", "false", "false")
	kind := pick("select", "select", "update", "delete", "insert")
	name := pick("up", "other", "label", "size")
	condition := pick(`{}`, `{}`, `{"up":{"id":1}}`, `{"up":{"up":{"id":1}}}`, `{"label":1}`, `{"down":{"other":{"id":2}}}`,
		`{"size":1}`, `{"shown":1}`, fmt.Sprintf(`{"_exists":{"_table":"t%d","_where":{"up":{"id":1}}}}`, r.IntN(groupTables)))
	permission := `{"columns":` + pick(`"*"`, `["id"]`, `["id","gone"]`) + `,"filter":` + condition + `,"check":` + condition + `}`
	switch r.IntN(22) {
	case 0, 1, 2:
		return `{"type":"pg_track_table","args":{` + table + pick("", "", `,"configuration":{"custom_name":"t1"}`,
			`,"configuration":{"column_config":{"label":{"custom_name":"shown"}}}`, `,"is_enum":true`) + `}}`
	case 3:
		return `{"type":"pg_untrack_table","args":{` + table + `,"cascade":` + cascade + `}}`
	case 4, 5, 6:
		return `{"type":"pg_create_object_relationship","args":{` + table + `,"name":"` + name + `","using":` + pick(
			`{"foreign_key_constraint_on":"parent"}`, `{"foreign_key_constraint_on":"label"}`,
			fmt.Sprintf(`{"manual_configuration":{"remote_table":"t%d","column_mapping":{"parent":"id"}}}`, r.IntN(groupTables))) + `}}`
	case 7:
		return fmt.Sprintf(`{"type":"pg_create_array_relationship","args":{%s,"name":"%s","using":{"foreign_key_constraint_on":{"table":"t%d","column":"parent"}}}}`,
			table, pick("down", "down", "up"), n+1)
	case 8, 9:
		return `{"type":"pg_drop_relationship","args":{` + table + `,"relationship":"` + pick(name, "down") + `","cascade":` + cascade + `}}`
	case 10, 11, 12, 13:
		return `{"type":"pg_create_` + kind + `_permission","args":{` + table + `,"role":"` + role + `","permission":` + permission + `}}`
	case 14, 15:
		return `{"type":"pg_drop_` + kind + `_permission","args":{` + table + `,"role":"` + role + `"}}`
	case 16:
		return fmt.Sprintf(`{"type":"pg_add_computed_field","args":{%s,"name":"%s","definition":{"function":"size%d"}}}`, table, pick("size", "size", "up"), n)
	case 17:
		return fmt.Sprintf(`{"type":"pg_track_function","args":{"function":"all%d"%s}}`, n, pick("", "", `,"configuration":{"custom_name":"t2"}`))
	case 18:
		return fmt.Sprintf(`{"type":"pg_create_function_permission","args":{"function":"all%d","role":"%s"}}`, n, role)
	case 19:
		return pick(`{"type":"add_inherited_role","args":{"role_name":"mix","role_set":["clerk","boss"]}}`,
			`{"type":"drop_inherited_role","args":{"role_name":"mix"}}`)
	case 20:
		return pick(`{"type":"pg_set_table_customization","args":{`+table+`,"configuration":{"custom_name":"named"}}}`,
			`{"type":"pg_set_relationship_comment","args":{`+table+`,"relationship":"up","comment":"x"}}`,
			`{"type":"create_query_collection","args":{"name":"c","definition":{"queries":[{"name":"q","query":"{up}"}]}}}`,
			`{"type":"drop_query_collection","args":{"collection":"c","cascade":true}}`,
			`{"type":"drop_inconsistent_metadata","args":{}}`)
	}
	return pick(`{"type":"get_inconsistent_metadata","args":{}}`, `{"type":"export_metadata","args":{}}`,
		`{"type":"bulk","args":[{"type":"pg_track_table","args":{`+table+`}},{"type":"pg_track_table","args":{"table":"t0"}}]}`)
}

// TestABulkIsWhatItsElementsAreOneByOne: however elements are grouped to be resolved, the answers, the
// errors, the document and the inconsistent objects are the same.
func TestABulkIsWhatItsElementsAreOneByOne(t *testing.T) {
	t.Parallel()
	var together, apart int64
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 5))
		b := newGroupBench()
		w := b.work(b.empty(t))
		requests := func(n int) []string {
			list := make([]string, n)
			for i := range list {
				list[i] = randomStep(r)
			}
			return list
		}
		_, err := w.oneByOne(t.Context(), b.parse(t, "bulk_keep_going", requests(r.IntN(80))))
		require.NoError(t, err)
		if r.IntN(3) == 0 { // some of it is broken
			b.source.catalog = groupCatalog(groupTables - 1 - r.IntN(2))
			next := *w.current.Snapshot
			next.Catalogs = map[string]*catalog.Source{"default": b.source.catalog}
			w.current = newState(&next, w.current, b.engine.Resolve)
			b.source.catalog = groupCatalog(groupTables)
		}
		base := w.current
		kind := []string{"bulk", "bulk_keep_going"}[r.IntN(2)]
		list := requests(2 + r.IntN(12))
		bulk := b.parse(t, kind, list)
		dry := r.IntN(4) == 0

		first := b.work(base)
		first.dry = dry
		before := b.engine.Resolutions()
		body, err := first.oneByOne(t.Context(), bulk)
		want := outcomeOf(t, first, body, err)
		apart += b.engine.Resolutions() - before

		second := b.work(base)
		second.dry = dry
		before = b.engine.Resolutions()
		body, err = second.bulk(t.Context(), bulk)
		together += b.engine.Resolutions() - before
		require.Equal(t, want, outcomeOf(t, second, body, err), "seed %d, %s of\n%s\non %s\nwith inconsistent %v",
			seed, kind, strings.Join(list, "\n"), outcomeOf(t, b.work(base), nil, nil).document, base.Inconsistent)

		whole := newState(second.current.Snapshot, nil, b.engine.Resolve)
		require.Equal(t, outcomeOf(t, second, nil, nil).inconsistent, outcomeOf(t, b.work(whole), nil, nil).inconsistent, "seed %d", seed)
	}
	t.Logf("%d resolutions instead of %d", together, apart)
}
