package reply_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/services/gateway/internal/reply"
)

func TestHeldAnswerCanBeReplaced(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	s := reply.NewStream(&reply.Compressor{})
	s.Reset(w, reply.Plain)
	_, err := s.Write([]byte("half an answer"))
	require.NoError(t, err)
	s.Hold(append(s.Held()[:4], " done"...))
	require.NoError(t, s.Close())
	require.Equal(t, "half done", w.Body.String())

	w = httptest.NewRecorder()
	s.Reset(w, reply.Plain)
	require.NoError(t, s.Close())
	require.Empty(t, w.Body.String(), "nothing is left of the answer before")
}

// TestLength holds that a client gets the length of each answer that is whole.
func TestLength(t *testing.T) {
	t.Parallel()
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		size, err := strconv.Atoi(r.URL.Path[1:])
		assert.NoError(t, err)
		s := reply.NewStream(&reply.Compressor{})
		s.Reset(w, reply.Plain)
		s.Hold(make([]byte, size))
		if err := s.Close(); r.Method == http.MethodGet { // HTTP/2 ends the stream of a HEAD before its body is written
			assert.NoError(t, err)
		}
	})
	plain, encrypted := httptest.NewServer(handler), httptest.NewUnstartedServer(handler)
	defer plain.Close()
	encrypted.EnableHTTP2 = true
	encrypted.StartTLS()
	defer encrypted.Close()
	for major, server := range map[int]*httptest.Server{1: plain, 2: encrypted} {
		for _, size := range []int{0, 1, 100, 2047, 2048, 2049, 4096, 100_000} {
			for _, method := range []string{http.MethodGet, http.MethodHead} {
				r, err := http.NewRequestWithContext(t.Context(), method, server.URL+"/"+strconv.Itoa(size), http.NoBody)
				require.NoError(t, err)
				answer, err := server.Client().Do(r)
				require.NoError(t, err)
				require.Equal(t, major, answer.ProtoMajor)
				require.EqualValues(t, size, answer.ContentLength, "%s of %d over HTTP/%d", method, size, major)
				_, err = io.Copy(io.Discard, answer.Body) // closing it unread resets a stream of HTTP/2 that the handler still writes to
				require.NoError(t, err)
				require.NoError(t, answer.Body.Close())
			}
		}
	}
}

func TestClientThatLeaves(t *testing.T) {
	t.Parallel()
	s := reply.NewStream(&reply.Compressor{})
	s.Reset(goneClient{httptest.NewRecorder()}, reply.Plain)
	_, err := s.Write([]byte("x"))
	require.NoError(t, err)
	require.ErrorIs(t, s.Close(), io.ErrClosedPipe)
}

type goneClient struct{ *httptest.ResponseRecorder }

func (goneClient) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestErrors(t *testing.T) {
	t.Parallel()
	plain := &apierror.Error{Code: apierror.ValidationFailed, Path: "$.selectionSet.foo", Message: "field 'foo' not found in type: 'album' \"\n\x01\xff"}
	require.Equal(t, `{"errors":[{"message":"field 'foo' not found in type: 'album' \"\n\u0001`+"\uFFFD"+`","extensions":{"path":"$.selectionSet.foo","code":"validation-failed"}}]}`,
		string(reply.AppendGraphQLError(nil, plain, true)))
	require.Equal(t, `{"error":"field 'foo' not found in type: 'album' \"\n\u0001`+"\uFFFD"+`","path":"$.selectionSet.foo","code":"validation-failed"}`,
		string(reply.AppendAPIError(nil, plain, true)))

	detailed := apierror.New(apierror.Unexpected, "database query error").WithInternal(map[string]any{"statement": "SELECT 1"})
	require.Equal(t, `{"errors":[{"message":"database query error","extensions":{"path":"$","code":"unexpected","internal":{"statement":"SELECT 1"}}}]}`,
		string(reply.AppendGraphQLError(nil, detailed, true)))
	require.Equal(t, `{"error":"database query error","path":"$","code":"unexpected","internal":{"statement":"SELECT 1"}}`,
		string(reply.AppendAPIError(nil, detailed, true)))
	require.NotContains(t, string(reply.AppendAPIError(nil, detailed, false)), "SELECT")
	require.NotContains(t, string(reply.AppendGraphQLError(nil, detailed, false)), "SELECT")

	odd := apierror.From(errors.New("wire: <broken>"))
	require.True(t, json.Valid(reply.AppendAPIError(nil, odd, true)))
}
