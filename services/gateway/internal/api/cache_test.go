package api_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/bus"
	queryv1 "queryengine/proto/query/v1"
)

// fakeAnswers remembers what was cleared.
type fakeAnswers struct{ cleared [][2]string }

func (a *fakeAnswers) Clear(_ context.Context, family, key string) error {
	a.cleared = append(a.cleared, [2]string{family, key})
	return nil
}

func (a *fakeAnswers) Purge(_ context.Context, tag string) error {
	a.cleared = append(a.cleared, [2]string{"tag", tag})
	return nil
}

func TestClearCache(t *testing.T) {
	t.Parallel()
	answers := &fakeAnswers{}
	w := setup(t, func(w *world) { w.deps.Answers = answers })
	for _, query := range []string{"", "?key=a1", "?family=b2", "?key=*", "?family=a.b", "?tag=a&tag=b%20c"} {
		got := w.send(t, "POST", "/pro/cache/clear"+query, "", admin...)
		require.Equal(t, http.StatusOK, got.status)
		require.Equal(t, `{"message":"success"}`, got.body)
	}
	require.Equal(t, [][2]string{{"", ""}, {"", "a1"}, {"b2", ""}, {"tag", "a"}, {"tag", "b c"}}, answers.cleared, "what can't be a key clears nothing")
	got := w.send(t, "POST", "/pro/cache/clear", "", append(admin, "X-Engine-Role", "clerk")...)
	require.Equal(t, http.StatusBadRequest, got.status)
	got = setup(t, nil).send(t, "POST", "/pro/cache/clear", "", admin...)
	require.Equal(t, http.StatusOK, got.status, "without a cache there is nothing to clear")
}

func TestCacheHeadersReachTheClient(t *testing.T) {
	t.Parallel()
	w := setup(t, func(w *world) {
		w.bus.answer = func(_ context.Context, _ bus.Endpoint, _ proto.Message, sink bus.Sink) error {
			head := &queryv1.ExecuteHead{Headers: []*queryv1.Header{
				{Name: "X-Engine-Query-Cache-Key", Value: "k"}, {Name: "Cache-Control", Value: "max-age=60"},
			}}
			if err := sink.Head(head); err != nil {
				return err
			}
			_, err := sink.Write([]byte(`{"data":{}}`))
			return err
		}
	})
	got := w.send(t, "POST", "/v1/graphql", `{"query":"query @cached {a}"}`, admin...)
	require.Equal(t, `{"data":{}}`, got.body)
	require.Equal(t, "k", got.header.Get("X-Engine-Query-Cache-Key"))
	require.Equal(t, "max-age=60", got.header.Get("Cache-Control"))
	batch := w.send(t, "POST", "/v1/graphql", `[{"query":"query @cached {a}"}]`, admin...)
	require.Empty(t, batch.header.Get("Cache-Control"))
}
