package hook_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/telemetry"
	"queryengine/services/gateway/internal/hook"
)

func newHook(t *testing.T, c hook.Config, h http.HandlerFunc) *hook.Hook {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	c.URL, c.UserAgent = server.URL, "engine"
	made, err := hook.New(c, server.Client(), telemetry.Discard())
	require.NoError(t, err)
	return made
}

func TestRequestInGetMode(t *testing.T) {
	t.Parallel()
	var (
		method string
		seen   http.Header
	)
	h := newHook(t, hook.Config{}, func(w http.ResponseWriter, r *http.Request) {
		method, seen = r.Method, r.Header
		w.Header().Add("Set-Cookie", "a=1")
		w.Header().Add("Set-Cookie", "b=2")
		_, _ = io.WriteString(w, `{"X-Engine-Role":"user","x-engine-User-Id":"7","other":"x"}`)
	})
	identity, err := h.Authenticate(t.Context(), http.Header{
		"Authorization": {"Bearer abc"}, "X-Engine-Role": {"admin"}, "User-Agent": {"client"}, "Cookie": {"c=3"}, "Accept-Language": {"cs"},
	}, nil)
	require.NoError(t, err)
	require.Equal(t, http.MethodGet, method)
	require.Equal(t, "user", identity.Session.Role, "the hook decides, not the client's header")
	require.Equal(t, map[string]string{"x-engine-role": "user", "x-engine-user-id": "7"}, identity.Session.Variables)
	require.Equal(t, []string{"a=1", "b=2"}, identity.Cookies)
	require.Zero(t, identity.Expires)
	require.False(t, identity.Session.BackendOnly)

	require.Equal(t, "Bearer abc", seen.Get("Authorization"))
	require.Equal(t, "c=3", seen.Get("Cookie"))
	require.Equal(t, "admin", seen.Get("X-Engine-Role"))
	require.Equal(t, "engine", seen.Get("User-Agent"))
	require.Empty(t, seen.Get("Accept-Language"))
}

func TestRequestInPostMode(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		send bool
		body string
		want string
	}{
		"a GraphQL request":  {true, `{"query":"{a}"}`, `{"headers":{"X-A":"1, 2"},"request":{"query":"{a}"}}`},
		"no GraphQL request": {true, ``, `{"headers":{"X-A":"1, 2"},"request":null}`},
		"switched off":       {false, `{"query":"{a}"}`, `{"headers":{"X-A":"1, 2"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []byte
			h := newHook(t, hook.Config{Post: true, SendRequestBody: c.send}, func(w http.ResponseWriter, r *http.Request) {
				got, _ = io.ReadAll(r.Body)
				_, _ = io.WriteString(w, `{"x-engine-role":"user"}`)
			})
			var body json.RawMessage
			if c.body != "" {
				body = json.RawMessage(c.body)
			}
			_, err := h.Authenticate(t.Context(), http.Header{"X-A": {"1", "2"}}, body)
			require.NoError(t, err)
			require.JSONEq(t, c.want, string(got))
		})
	}
}

func TestRedirectsKeepTheHeadersOfClients(t *testing.T) {
	t.Parallel()
	type seen struct {
		header http.Header
		body   string
	}
	calls := make(chan seen, 1)
	who := func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		calls <- seen{r.Header, string(body)}
		_, _ = io.WriteString(w, `{"x-engine-role":"user"}`)
	}
	other := httptest.NewServer(http.HandlerFunc(who))
	t.Cleanup(other.Close)
	elsewhere := strings.Replace(other.URL, "127.0.0.1", "localhost", 1)
	client := http.Header{"X-Api-Key": {"hush"}, "X-Engine-Role": {"admin"}, "Cookie": {"c=3"}}

	foreign := func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere, http.StatusTemporaryRedirect)
	}
	_, err := newHook(t, hook.Config{}, foreign).Authenticate(t.Context(), client, nil)
	require.NoError(t, err)
	got := <-calls
	for name := range client {
		require.Empty(t, got.header.Get(name), name)
	}
	_, err = newHook(t, hook.Config{Post: true}, foreign).Authenticate(t.Context(), client, nil)
	require.Error(t, err)
	require.Empty(t, calls, "the headers are in the body there")

	same := newHook(t, hook.Config{Post: true}, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/who" {
			who(w, r)
			return
		}
		http.Redirect(w, r, "/who", http.StatusTemporaryRedirect)
	})
	_, err = same.Authenticate(t.Context(), client, nil)
	require.NoError(t, err)
	require.Contains(t, (<-calls).body, "hush", "the webhook's own host may ask for it again")
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status  int
		body    string
		code    apierror.Code
		failure int
		message string
	}{
		"unauthorized":   {401, `{}`, apierror.AccessDenied, 401, "Authentication hook unauthorized this request"},
		"another status": {404, `{}`, apierror.Unexpected, 500, "Invalid response from authorization hook"},
		"no role":        {200, `{"x-engine-user-id":"1"}`, apierror.InvalidParams, 400, "x-engine-role not found in session variables"},
		"empty role":     {200, `{"x-engine-role":""}`, apierror.InvalidParams, 400, "x-engine-role not found in session variables"},
		"not JSON":       {200, `role=user`, apierror.Unexpected, 500, "Invalid response from authorization hook: "},
		"null":           {200, `null`, apierror.Unexpected, 500, "Invalid response from authorization hook: expected Object, but encountered Null"},
		"not texts":      {200, `{"x-engine-role":1}`, apierror.Unexpected, 500, "Invalid response from authorization hook: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHook(t, hook.Config{}, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			})
			_, err := h.Authenticate(t.Context(), http.Header{}, nil)
			require.Error(t, err)
			e := apierror.From(err)
			require.Equal(t, c.code, e.Code)
			require.Equal(t, c.failure, e.Status)
			require.Contains(t, e.Message, c.message)
		})
	}
}

func TestNoAnswer(t *testing.T) {
	t.Parallel()
	h, err := hook.New(hook.Config{URL: "http://127.0.0.1:1/"}, http.DefaultClient, telemetry.Discard())
	require.NoError(t, err)
	_, err = h.Authenticate(t.Context(), http.Header{}, nil)
	require.Equal(t, "webhook authentication request failed", apierror.From(err).Message)

	_, err = hook.New(hook.Config{URL: "file:///etc"}, http.DefaultClient, telemetry.Discard())
	require.Error(t, err)
}

func TestExpiry(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]time.Duration{
		`{"x-engine-role":"user","Cache-Control":"public, max-age=60"}`:                                     time.Minute,
		`{"x-engine-role":"user","Cache-Control":"s-maxage=120","Expires":"Mon, 02 Mar 2015 10:00:00 GMT"}`: 2 * time.Minute,
		`{"x-engine-role":"user","Cache-Control":"private"}`:                                                0,
		`{"x-engine-role":"user","Expires":"tomorrow"}`:                                                     0,
	} {
		h := newHook(t, hook.Config{}, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) })
		identity, err := h.Authenticate(t.Context(), http.Header{}, nil)
		require.NoError(t, err)
		if want == 0 {
			require.Zero(t, identity.Expires, body)
			continue
		}
		require.WithinDuration(t, time.Now().Add(want), identity.Expires, 10*time.Second, body)
	}
}
