package api_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/bus"
	"queryengine/pkg/metadata"
	"queryengine/pkg/snapshot"
	metadatav1 "queryengine/proto/metadata/v1"
	queryv1 "queryengine/proto/query/v1"
)

const itemQuery = `query item($id: Int!, $kind: String) { item(id: $id, kind: $kind) { name } }`

// withItems is the metadata of an endpoint item/:id, at a version.
func withItems(version int64) *snapshot.Snapshot {
	doc := metadata.Empty()
	doc.QueryCollections = []*metadata.QueryCollection{{
		Name: "c", Definition: metadata.CollectionDefinition{Queries: []metadata.StoredQuery{{Name: "item", Query: itemQuery}}},
	}}
	doc.RESTEndpoints = []*metadata.RESTEndpoint{{
		Name: "item", URL: "item/:id", Methods: []string{"GET", "POST"},
		Definition: metadata.EndpointDefinition{Query: metadata.QueryReference{Collection: "c", Query: "item"}},
	}}
	return &snapshot.Snapshot{StreamID: "s", Version: version, Document: doc}
}

func TestEndpoint(t *testing.T) {
	t.Parallel()
	w := setup(t, func(w *world) {
		w.metadata.set(withItems(5))
		w.bus.answer = says(`{"data":{"item":{"name":"}"}}}`)
	})
	for _, c := range []struct{ method, path, body, contentType, variables string }{
		{"GET", "item/7", "", "", `{"id":7}`},
		{"GET", "item/7?kind=a%2Fb", "", "", `{"id":7,"kind":"a/b"}`},
		{"POST", "item/%37", `{"kind":"x"}`, "application/json", `{"id":7,"kind":"x"}`},
		{"POST", "item/7", `kind=a+b`, "application/x-www-form-urlencoded; charset=utf-8", `{"id":7,"kind":"a b"}`},
		{
			"POST", "item/7", "--b\r\nContent-Disposition: form-data; name=\"kind\"\r\n\r\na b\r\n--b--\r\n",
			"multipart/form-data; boundary=b", `{"id":7,"kind":"a b"}`,
		},
	} {
		got := w.send(t, c.method, "/api/rest/"+c.path, c.body, append([]string{"Content-Type", c.contentType}, admin...)...)
		require.Equal(t, 200, got.status, got.body)
		require.Equal(t, `{"item":{"name":"}"}}`, got.body)
		require.Equal(t, "application/json; charset=utf-8", got.header.Get("Content-Type"))
		asked, ok := w.bus.last(t).(*queryv1.ExecuteRequest)
		require.True(t, ok)
		require.Equal(t, itemQuery, asked.GetQuery())
		require.Equal(t, c.variables, string(asked.GetVariables()))
		require.Equal(t, "admin", asked.GetSession().GetRole())
		require.EqualValues(t, 5, asked.GetMinVersion())
		require.Equal(t, c.method == "GET", asked.GetReadOnly(), "GET changes nothing, whatever the stored query is")
	}
	calls := len(w.bus.calls)
	for _, c := range []struct {
		method, path string
		status       int
		body         string
	}{
		{"GET", "thing/7", 404, `{"error":"Endpoint not found","path":"$","code":"not-found"}`},
		{"GET", "item/7/", 404, `{"error":"Endpoint not found","path":"$","code":"not-found"}`},
		{"DELETE", "item/7", 405, `{"error":"Allowed methods: GET, POST","path":"$","code":"method-not-allowed"}`},
		{"BREW", "item/7", 400, `{"error":"Nonstandard method not allowed for REST endpoints","path":"$","code":"bad-request"}`},
		{"OPTIONS", "item/7", 400, `{"error":"Method OPTIONS not supported.","path":"$","code":"bad-request"}`},
		{"GET", "item/7?x=1", 400, `{"error":"Unexpected variable x","path":"$","code":"bad-request"}`},
	} {
		got := w.send(t, c.method, "/api/rest/"+c.path, "", admin...)
		require.Equal(t, c.status, got.status, "%s %s", c.method, c.path)
		require.Equal(t, c.body, got.body)
	}
	require.Equal(t, 401, w.send(t, "GET", "/api/rest/thing", "").status)
	require.Len(t, w.bus.calls, calls)
}

func TestEndpointErrors(t *testing.T) {
	t.Parallel()
	w := setup(t, func(w *world) {
		w.metadata.set(withItems(5))
		w.bus.answer = fails(apierror.At(apierror.New(apierror.ValidationFailed, "no"), "selectionSet"))
	})
	got := w.send(t, "GET", "/api/rest/item/7", "", admin...)
	require.Equal(t, 400, got.status)
	require.Equal(t, `{"error":"no","path":"$.selectionSet","code":"validation-failed"}`, got.body)
}

func TestEndpointAnswersInPieces(t *testing.T) {
	t.Parallel()
	long := `{"data":{"item":{"names":["` + strings.Repeat("}", 700_000) + `"]}}}`
	for _, size := range []int{1, 7, 8, 9, 100_000} {
		text := long
		if size < 100 {
			text = `{"data":{"item":{"names":["}}}}"]}}}`
		}
		w := setup(t, func(w *world) {
			w.metadata.set(withItems(5))
			w.bus.answer = func(_ context.Context, _ bus.Endpoint, _ proto.Message, sink bus.Sink) error {
				for rest := text; rest != ""; {
					n := min(size, len(rest))
					if _, err := sink.Write([]byte(rest[:n])); err != nil {
						return err
					}
					rest = rest[n:]
				}
				return nil
			}
		})
		got := w.send(t, "GET", "/api/rest/item/7", "", admin...)
		require.Equal(t, text[len(`{"data":`):len(text)-1], got.body, "pieces of %d", size)
	}
}

// An endpoint that was answered for can be called at once: the answer waits until the change has
// come back from the stream.
func TestEndpointAfterItsCreation(t *testing.T) {
	t.Parallel()
	w := setup(t, func(w *world) {
		w.bus.answer = func(_ context.Context, _ bus.Endpoint, req proto.Message, sink bus.Sink) error {
			if _, ok := req.(*metadatav1.ApplyRequest); ok {
				return sink.Head(&metadatav1.ApplyHead{ResourceVersion: 6, Modified: true})
			}
			_, err := sink.Write([]byte(`{"data":{}}`))
			return err
		}
	})
	waiting := make(chan int64, 1)
	w.metadata.onWait(func(version int64) { waiting <- version })
	go func() {
		select {
		case version := <-waiting:
			w.metadata.set(withItems(version))
		case <-time.After(10 * time.Second):
		}
	}()
	require.Equal(t, 200, w.send(t, "POST", "/v1/metadata", `{"type":"create_rest_endpoint"}`, admin...).status)
	got := w.send(t, "GET", "/api/rest/item/7", "", admin...)
	require.Equal(t, 200, got.status, got.body)
	require.Equal(t, `{}`, got.body)
}

func TestBrokenForms(t *testing.T) {
	t.Parallel()
	w := setup(t, func(w *world) { w.metadata.set(withItems(5)) })
	for contentType, body := range map[string]string{
		"multipart/form-data":             "--b--",
		"multipart/form-data; boundary=b": "kind=a",
	} {
		got := w.send(t, "POST", "/api/rest/item/7", body, append([]string{"Content-Type", contentType}, admin...)...)
		require.Equal(t, 400, got.status, got.body)
		require.Contains(t, got.body, `"error":"the form could not be read","path":"$","code":"bad-request"`)
	}
}
