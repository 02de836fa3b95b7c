package api_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/bus"
	"queryengine/pkg/metadata"
	"queryengine/pkg/session"
	"queryengine/pkg/snapshot"
	queryv1 "queryengine/proto/query/v1"
	"queryengine/services/gateway/internal/auth"
)

// callers is an authenticator by the header X-Who.
type callers struct {
	identities map[string]*auth.Identity
	webhook    bool
}

func (c *callers) Authenticate(_ context.Context, h http.Header, _ json.RawMessage) (*auth.Identity, error) {
	if i := c.identities[h.Get("X-Who")]; i != nil {
		return i, nil
	}
	return nil, apierror.New(apierror.AccessDenied, "unknown")
}
func (c *callers) AsksWebhook() bool          { return c.webhook }
func (c *callers) WantsBody(http.Header) bool { return false }
func (c *callers) Open() bool                 { return false }

func identity(role string, change func(*auth.Identity)) *auth.Identity {
	i := &auth.Identity{Session: session.New(role, map[string]string{"x-engine-user-id": role})}
	if change != nil {
		change(i)
	}
	return i
}

// caches is a world with a document that a GET request may name, whose answers executors cache.
func caches(t *testing.T, head *queryv1.ExecuteHead, body string, change func(*world, *callers)) *world {
	t.Helper()
	who := &callers{identities: map[string]*auth.Identity{
		"":       identity("guest", func(i *auth.Identity) { i.Session.Anonymous = true }),
		"admin":  identity("admin", func(i *auth.Identity) { i.Session.Trusted = true }),
		"user":   identity("user", nil),
		"other":  identity("other", nil),
		"soon":   identity("user", func(i *auth.Identity) { i.Expires = time.Now().Add(10 * time.Second) }),
		"cookie": identity("user", func(i *auth.Identity) { i.Cookies = []string{"a=1"} }),
	}}
	return setup(t, func(w *world) {
		w.deps.Authenticator = who
		w.bus.answer = func(_ context.Context, _ bus.Endpoint, _ proto.Message, sink bus.Sink) error {
			if err := sink.Head(head); err != nil {
				return err
			}
			for piece := range slices.Chunk([]byte(body), 100_000) {
				if _, err := sink.Write(piece); err != nil {
					return err
				}
			}
			return nil
		}
		w.metadata.set(&snapshot.Snapshot{StreamID: "s", Version: 5, Document: &metadata.Document{QueryCollections: []*metadata.QueryCollection{{
			Name: "a", Definition: metadata.CollectionDefinition{Queries: []metadata.StoredQuery{{Name: "q", Query: "{ a }", ID: "q"}}},
		}}}})
		if change != nil {
			change(w, who)
		}
	})
}

func cached(seconds string, change func(*queryv1.ExecuteHead)) *queryv1.ExecuteHead {
	head := &queryv1.ExecuteHead{}
	if seconds != "" {
		head.Headers = []*queryv1.Header{{Name: "Cache-Control", Value: "max-age=" + seconds}}
	}
	if change != nil {
		change(head)
	}
	return head
}

const byDocument = "/v1/graphql?documentId=q"

// TestCacheControl: an answer is public only where nothing of the request could have made it another one.
func TestCacheControl(t *testing.T) {
	t.Parallel()
	session := func(h *queryv1.ExecuteHead) { h.SessionBound = true }
	headers := func(h *queryv1.ExecuteHead) { h.SessionBound, h.Revalidate = true, true }
	for name, c := range map[string]struct {
		head   *queryv1.ExecuteHead
		change func(*world, *callers)
		ask    []string
		want   string
	}{
		"without credentials":          {head: cached("60", nil), want: "public, max-age=60"},
		"not cached":                   {head: cached("", nil), want: "private, no-cache"},
		"of the session":               {head: cached("60", session), want: "private, no-cache"},
		"a token":                      {head: cached("60", nil), ask: []string{"X-Who", "user"}, want: "private, max-age=60"},
		"a token, of the session":      {head: cached("60", session), ask: []string{"X-Who", "user"}, want: "private, max-age=60"},
		"a token, of headers":          {head: cached("60", headers), ask: []string{"X-Who", "user"}, want: "private, no-cache"},
		"a token that ends":            {head: cached("60", nil), ask: []string{"X-Who", "soon"}, want: "private, max-age=9"},
		"an admin secret":              {head: cached("60", nil), ask: []string{"X-Who", "admin"}, want: "private, no-cache"},
		"a webhook":                    {head: cached("60", nil), change: func(_ *world, c *callers) { c.webhook = true }, want: "private, no-cache"},
		"a cookie of the webhook":      {head: cached("60", nil), ask: []string{"X-Who", "cookie"}, want: "no-store"},
		"an ignored token":             {head: cached("60", nil), ask: []string{"Authorization", "Basic eA=="}, want: "private, max-age=60"},
		"an ignored cookie":            {head: cached("60", nil), ask: []string{"Cookie", "a=1"}, want: "private, max-age=60"},
		"a cookie of a foreign page":   {head: cached("60", nil), ask: []string{"Cookie", "a=1", "Origin", "https://elsewhere.example"}, want: "no-store"},
		"a header of tokens":           {head: cached("60", nil), change: func(w *world, _ *callers) { w.deps.CredentialHeaders = []string{"X-Token"} }, ask: []string{"X-Token", "t"}, want: "private, max-age=60"},
		"a session variable by a hand": {head: cached("60", session), ask: []string{"X-Engine-User-Id", "7"}, want: "private, no-cache"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := caches(t, c.head, `{"data":{"a":1}}`, c.change)
			got := w.send(t, "GET", byDocument, "", c.ask...)
			require.Equal(t, http.StatusOK, got.status, got.body)
			control := got.header.Get("Cache-Control")
			if name == "a token that ends" {
				control = strings.Replace(control, "max-age=8", "max-age=9", 1) // the test may be slow
			}
			require.Equal(t, c.want, control)
			require.Len(t, got.header.Values("Vary"), 1, "caches may heed one line alone")
			require.LessOrEqual(t, len(got.header.Get("Vary")), 128, "nginx stores nothing else")
			for _, part := range []string{"Accept-Encoding", "Authorization", "Cookie", "Origin", "X-Engine-Role", "X-Engine-Admin-Secret", "Accept"} {
				require.Contains(t, strings.Join(got.header.Values("Vary"), ", "), part)
			}
			require.Equal(t, c.want != "no-store", got.header.Get("Etag") != "")
			posted := w.send(t, "POST", "/v1/graphql", `{"documentId":"q"}`, c.ask...)
			require.Empty(t, posted.header.Get("Etag"), "answers by POST are as they were")
		})
	}
}

func TestErrorsAreNotStored(t *testing.T) {
	t.Parallel()
	strict := caches(t, cached("60", nil), "", func(w *world, _ *callers) { w.settings.StrictOverHTTP = true })
	for _, path := range []string{byDocument, "/api/rest/unknown"} {
		got := strict.send(t, "GET", path, "", "X-Who", "nobody")
		require.Equal(t, "no-store", got.header.Get("Cache-Control"), "who isn't let in: %s", path)
		require.Contains(t, got.header.Get("Vary"), "Authorization")
	}
	w := caches(t, nil, "", func(w *world, _ *callers) {
		w.bus.answer = func(_ context.Context, _ bus.Endpoint, _ proto.Message, sink bus.Sink) error {
			_ = sink.Head(cached("60", nil)) // an answer that fails later
			return apierror.New(apierror.Unexpected, "broken")
		}
	})
	for _, path := range []string{byDocument, "/v1/graphql?documentId=unknown", "/v1/graphql?extensions=%7B%22persistedQuery%22:1%7D", "/api/rest/unknown"} {
		got := w.send(t, "GET", path, "")
		require.NotEqual(t, http.StatusOK, got.status)
		require.Equal(t, "no-store", got.header.Get("Cache-Control"), path)
		require.Empty(t, got.header.Get("Etag"))
	}
}

func TestAnswersAreValidated(t *testing.T) {
	t.Parallel()
	body := `{"data":{"a":1}}`
	w := caches(t, cached("", nil), body, nil)
	first := w.send(t, "GET", byDocument, "")
	tag := first.header.Get("Etag")
	require.Regexp(t, `^W/"[A-Za-z0-9_-]{22}"$`, tag)
	for match, status := range map[string]int{
		tag: 304, strings.TrimPrefix(tag, "W/"): 304, `"x", ` + tag: 304, "*": 304, `"x"`: 200, "": 200,
	} {
		got := w.send(t, "GET", byDocument, "", "If-None-Match", match)
		require.Equal(t, status, got.status, match)
		require.Equal(t, tag, got.header.Get("Etag"))
		require.Equal(t, "private, no-cache", got.header.Get("Cache-Control"))
		require.Contains(t, strings.Join(got.header.Values("Vary"), ", "), "Cookie")
		if status == 304 {
			require.Empty(t, got.body)
			require.Empty(t, got.header.Get("Content-Length"))
		}
	}
	require.Len(t, w.bus.calls, 7, "what isn't cached is run each time")
	large := caches(t, cached("60", nil), `{"data":"`+strings.Repeat("x", 1<<20)+`"}`, nil).send(t, "GET", byDocument, "")
	require.Equal(t, "public, max-age=60", large.header.Get("Cache-Control"))
	require.Empty(t, large.header.Get("Etag"), "it was sent as it came")
}

// TestValidatorsAreOfOneSession: a moment after an answer, a client that has it needs no executor; another session, document or version
// of the metadata does.
func TestValidatorsAreOfOneSession(t *testing.T) {
	t.Parallel()
	w := caches(t, cached("60", nil), `{"data":{"a":1}}`, nil)
	tag := w.send(t, "GET", byDocument, "", "X-Who", "user").header.Get("Etag")
	again := func(path string, headers ...string) (asked bool) {
		before := len(w.bus.calls)
		got := w.send(t, "GET", path, "", append([]string{"If-None-Match", tag}, headers...)...)
		require.Equal(t, http.StatusNotModified, got.status, "the answers are equal by chance")
		require.Equal(t, "private, max-age=60", got.header.Get("Cache-Control"))
		return len(w.bus.calls) > before
	}
	require.False(t, again(byDocument, "X-Who", "user"))
	require.True(t, again(byDocument, "X-Who", "other"))
	require.True(t, again(byDocument, "X-Who", "user", "Cache-Control", "no-cache"))
	require.True(t, again(byDocument+"&variables="+url.QueryEscape(`{"a":1}`), "X-Who", "user"))
	require.False(t, again(byDocument, "X-Who", "user"))
	require.Equal(t, http.StatusOK, w.send(t, "POST", "/pro/cache/clear", "", "X-Who", "admin").status)
	require.True(t, again(byDocument, "X-Who", "user"), "it was cleared")
	next := *w.metadata.Current()
	next.Version++
	w.metadata.set(&next)
	require.True(t, again(byDocument, "X-Who", "user"), "the metadata have changed")
}
