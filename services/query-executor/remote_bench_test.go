package queryexecutor

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	queryv1 "queryengine/proto/query/v1"
)

// canned is an answer of a remote of some 30 KB.
func canned() []byte {
	var b bytes.Buffer
	b.WriteString(`{"data":{"beings":[`)
	for i := range 300 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":%d,"name":"person with the number %d","mood":"HAPPY","boss":{"id":%d}}`, i, i, i+1)
	}
	b.WriteString(`]}}`)
	return b.Bytes()
}

// BenchmarkRemote compares a query on a remote with a reverse proxy for the same server: the difference
// is what the executor adds to a call and its answer.
func BenchmarkRemote(b *testing.B) {
	server := newRemoteServer(b)
	e := newRemote(b, plainRemote, Config{}, server)
	body := canned()
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	}))
	defer plain.Close()
	document := e.state.Load().snapshot.Document
	document.RemoteSchemas[0].Definition.URL = &plain.URL
	const query = `query ($f: Filter) { beings(where: $f) { id name ... on Person { mood boss { id } } } }`

	b.Run("executor", func(b *testing.B) {
		b.ReportAllocs()
		request := &queryv1.ExecuteRequest{Session: asAdmin(), Query: query, Variables: []byte(`{"f":null}`)}
		for b.Loop() {
			r := &reply{}
			require.NoError(b, e.execute(b.Context(), request, r))
			if r.Len() != len(body) {
				b.Fatal("another answer")
			}
		}
	})
	b.Run("proxy", func(b *testing.B) {
		b.ReportAllocs()
		target, err := url.Parse(plain.URL)
		require.NoError(b, err)
		proxy := httputil.NewSingleHostReverseProxy(target)
		text := `{"query":"` + query + `","variables":{"f":null}}`
		for b.Loop() {
			w := httptest.NewRecorder()
			proxy.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(text)))
			if w.Body.Len() != len(body) {
				b.Fatal("another answer")
			}
		}
	})
}
