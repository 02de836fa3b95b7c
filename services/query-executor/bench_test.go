package queryexecutor

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/open"
	"queryengine/pkg/metadata"
	"queryengine/pkg/session"
	queryv1 "queryengine/proto/query/v1"
	"queryengine/services/query-executor/internal/planned"
)

// The queries that are measured.
var benchQueries = map[string]struct{ text, variables string }{
	"by key":  {`query ($id: Int!) { album_by_pk(id: $id) { id title artist_id } }`, `{"id": 1}`},
	"filter":  {`query ($id: Int!, $title: String!, $n: Int!) { album(where: {artist_id: {_eq: $id}, title: {_gt: $title}}, order_by: [{id: desc}], limit: $n) { id title } }`, `{"id": 1, "title": "A", "n": 20}`},
	"where":   {`query ($w: album_bool_exp!) { album(where: $w) { id title } }`, `{"w": {"artist_id": {"_eq": 1}, "_or": [{"title": {"_like": "B%"}}, {"id": {"_in": [1, 2, 3]}}]}}`},
	"nothing": {`{ __typename }`, ``},
}

// BenchmarkKeptPlan is what a request costs apart from the database: everything from the
// message to the statement, with a source that answers at once.
func BenchmarkKeptPlan(b *testing.B) {
	e := newFixture(b, "testdata/cases/shop", Config{})
	e.sources = open.New(func(*metadata.Source) (backend.Source, error) { return instant{}, nil })
	e.sources.Update(e.state.Load().snapshot.Document.Sources)
	for name, q := range benchQueries {
		b.Run(name, func(b *testing.B) {
			in := &queryv1.ExecuteRequest{
				Session: &queryv1.Session{Role: session.Admin}, Query: q.text, Variables: []byte(q.variables),
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := e.execute(b.Context(), in, discard{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkNewPlan is what a request costs whose plan is not kept.
func BenchmarkNewPlan(b *testing.B) {
	e := newFixture(b, "testdata/cases/shop", Config{})
	for name, q := range benchQueries {
		b.Run(name, func(b *testing.B) {
			r := &request{session: adminSession(), text: q.text, variables: []byte(q.variables)}
			s := e.borrow()
			b.ReportAllocs()
			for b.Loop() {
				e.plans = planned.NewCache(1000)
				_, err := e.prepare(b.Context(), r, s)
				require.NoError(b, err)
			}
		})
	}
}

// instant is a source that answers every statement at once.
type instant struct{ backend.Source }

func (instant) Query(_ context.Context, _ backend.Statement, _ backend.Args, out *backend.Answer) error {
	out.Buf = append(out.Buf, `{"id":1,"title":"Blue"}`...)
	return nil
}

func (instant) Close() {}

// discard is an answer without a reader.
type discard struct{}

func (discard) SetHead(proto.Message)       {}
func (discard) Write(p []byte) (int, error) { return len(p), nil }
