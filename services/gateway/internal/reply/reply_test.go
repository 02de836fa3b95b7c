package reply_test

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/services/gateway/internal/reply"
)

func TestAccept(t *testing.T) {
	t.Parallel()
	for field, want := range map[string]reply.Accepted{
		"": reply.Plain, "*": reply.Plain, "identity": reply.Plain, "br": reply.Plain, "gzip;q=0": reply.Plain,
		"gzip": reply.Either, "br, GZIP;q=0.5": reply.Either, "gzip, identity": reply.Either, "gzip;q=x": reply.Either, "gzip, *": reply.Either,
		"gzip, identity;q=0": reply.OnlyGzip, "gzip;q=1, *;q=0": reply.OnlyGzip, "gzip, *;q=0, identity;q=0.1": reply.Either,
	} {
		require.Equal(t, want, reply.Accept([]string{field}), field)
	}
	require.Equal(t, reply.Plain, reply.Accept(nil))
	require.Equal(t, reply.OnlyGzip, reply.Accept([]string{"gzip", "identity;q=0"}))
}

func TestWholeAnswer(t *testing.T) {
	t.Parallel()
	small, large := strings.Repeat("a", 699), strings.Repeat("ab", 100_000)
	for name, c := range map[string]struct {
		body     string
		accepted reply.Accepted
		gzip     bool
	}{
		"plain":             {large, reply.Plain, false},
		"small":             {small, reply.Either, false},
		"at the threshold":  {small + "a", reply.Either, true},
		"large":             {large, reply.Either, true},
		"small but refused": {"{}", reply.OnlyGzip, true},
		"empty":             {"", reply.Plain, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := httptest.NewRecorder()
			s := reply.NewStream(&reply.Compressor{})
			s.Reset(w, c.accepted)
			s.SetStatus(http.StatusTeapot)
			for i := 0; i < len(c.body); i += 1000 {
				_, err := s.Write([]byte(c.body[i:min(len(c.body), i+1000)]))
				require.NoError(t, err)
			}
			require.False(t, s.Started())
			require.NoError(t, s.Close())
			require.Equal(t, http.StatusTeapot, w.Code)
			require.Equal(t, strconv.Itoa(w.Body.Len()), w.Header().Get("Content-Length"))
			require.EqualValues(t, w.Body.Len(), s.Sent())
			require.EqualValues(t, len(c.body), s.Size())
			require.Equal(t, c.gzip, s.Compressed())
			require.Equal(t, c.body, read(t, w))
		})
	}
}

func TestLongAnswer(t *testing.T) {
	t.Parallel()
	for _, accepted := range []reply.Accepted{reply.Plain, reply.Either} {
		w := httptest.NewRecorder()
		s := reply.NewStream(&reply.Compressor{})
		s.Reset(w, accepted)
		frame := []byte(strings.Repeat("0123456789", 60_000))
		for i := range 4 {
			require.Equal(t, i > 1, s.Started(), "the first frame is held back")
			_, err := s.Write(frame)
			require.NoError(t, err)
		}
		require.NoError(t, s.Close())
		require.Empty(t, w.Header().Get("Content-Length"))
		require.EqualValues(t, 4*len(frame), s.Size())
		require.Equal(t, strings.Repeat(string(frame), 4), read(t, w))
	}
}

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

func read(t *testing.T, w *httptest.ResponseRecorder) string {
	t.Helper()
	if w.Header().Get("Content-Encoding") == "" {
		return w.Body.String()
	}
	z, err := gzip.NewReader(w.Body)
	require.NoError(t, err)
	b, err := io.ReadAll(z)
	require.NoError(t, err)
	return string(b)
}

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
