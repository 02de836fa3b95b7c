package echo_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/services/engine/internal/echo"
)

func TestReceiverPrintsAndAnswers(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	r := echo.New(&out)
	file := filepath.Join(t.TempDir(), "rates.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"rate": 5}`), 0o600))
	require.NoError(t, r.Answer("/rate=@"+file))
	require.NoError(t, r.Answer("/plain=a=b"))
	require.NoError(t, r.Status("/rate=422"))
	for _, c := range []struct {
		method, target, body string
		status               int
		answer, kind, line   string
	}{
		{
			"POST", "/rate?x=1", "{\"a\":\n [1, \"<\"]}", 422, `{"rate": 5}`, "application/json",
			`{"method":"POST","path":"/rate?x=1","body":{"a":[1,"<"]}}`,
		},
		{"PUT", "/plain", "no JSON", 200, "a=b", "", `{"method":"PUT","path":"/plain","body":"no JSON"}`},
		{"GET", "/other", "", 200, "{}", "application/json", `{"method":"GET","path":"/other"}`},
	} {
		out.Reset()
		w := httptest.NewRecorder()
		r.ServeHTTP(w, httptest.NewRequest(c.method, c.target, strings.NewReader(c.body)))
		require.Equal(t, c.status, w.Code)
		require.Equal(t, c.answer, w.Body.String())
		require.Equal(t, c.kind, w.Header().Get("Content-Type"))
		require.Equal(t, c.line+"\n", out.String())
	}

	require.NoError(t, r.Status("503"))
	require.NoError(t, r.Answer("away"))
	r.Headers = true
	out.Reset()
	in := httptest.NewRequest(http.MethodPost, "/", nil)
	in.Header.Set("X-From", "engine")
	w := httptest.NewRecorder()
	r.ServeHTTP(w, in)
	require.Equal(t, 503, w.Code)
	require.Equal(t, "away", w.Body.String())
	require.JSONEq(t, `{"method":"POST","path":"/","headers":{"X-From":"engine"}}`, out.String())

	r.Headers = false
	r.GraphQL = http.HandlerFunc(func(w http.ResponseWriter, in *http.Request) { _, _ = io.Copy(w, in.Body) })
	out.Reset()
	w = httptest.NewRecorder()
	r.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(`{"query":"{ charts }"}`)))
	require.Equal(t, `{"query":"{ charts }"}`, w.Body.String())
	require.JSONEq(t, `{"method":"POST","path":"/graphql","body":{"query":"{ charts }"}}`, out.String())

	w = httptest.NewRecorder()
	r.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", io.LimitReader(zeros{}, 17<<20)))
	require.Equal(t, http.StatusRequestEntityTooLarge, w.Code)
}

func TestReceiverRefusesWhatItCannotAnswer(t *testing.T) {
	t.Parallel()
	r := echo.New(io.Discard)
	require.ErrorContains(t, r.Status("99"), `"99" is not a status from 200 to 599`)
	require.ErrorContains(t, r.Status("/x=many"), `"many" is not a status`)
	require.ErrorIs(t, r.Answer("@"+filepath.Join(t.TempDir(), "absent")), os.ErrNotExist)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }
