package e2e

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"
	"github.com/graphql-go/graphql"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// movedKey signs the tokens of the projects.
const movedKey = "a key of the tests, 32 characters long"

// movedRequest is a request of a client that was written for another engine.
type movedRequest struct {
	Says         string
	Token        map[string]any // the claims of a token, nil for none
	Headers      map[string]string
	Path         string // /v1/graphql when it is empty
	Query        string // of GraphQL, instead of Body
	Body         any
	Subscription string
	Want         any
	Contains     string // instead of Want
}

// TestProjectsOfAnotherEngineMoveByOneSetting applies projects as they are, with the settings of
// that engine, to servers that know its name.
func TestProjectsOfAnotherEngineMoveByOneSetting(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"clinic", "library", "depot"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := moveProject(t, name, "ENGINE_GRAPHQL_VENDOR_NAMES=acme")
			require.NotContains(t, p.said, "warning")
			for _, r := range p.requests() {
				p.ask(r)
			}
			if name == "depot" {
				p.asksByUpgrade()
			}
			var events []any
			p.read("events.yaml", &events)
			for _, want := range events {
				p.hook.awaitEvent(want)
			}
		})
	}
}

// TestProjectsOfAnotherEngineSayWhatIsMissing is the same without the setting: the projects need
// it, and learn so.
func TestProjectsOfAnotherEngineSayWhatIsMissing(t *testing.T) {
	t.Parallel()
	p := moveProject(t, "clinic", "")
	require.Contains(t, p.said, `"X-Acme-User-Id" is a plain text here: it looks like a session variable of another engine`)
	require.Contains(t, p.said, "--vendor-names acme")
}

// movedProject is a project of another engine on a server of ours.
type movedProject struct {
	*workshop
	server *process
	hook   *movedHook
	said   string // by metadata apply
}

// moveProject starts the servers with that engine's variables and one of ours, and applies the
// project.
func moveProject(t *testing.T, name, setting string) *movedProject {
	t.Helper()
	c := newCluster(t)
	hook := newMovedHook(t)
	p := &movedProject{workshop: &workshop{t: t, dir: filepath.Join("testdata", "moving", name)}, hook: hook}
	theirs := map[string]string{}
	for k, v := range c.settings {
		if k != "ENGINE_GRAPHQL_NATS_URL" { // which that engine doesn't have
			theirs["ACME"+strings.TrimPrefix(k, "ENGINE")] = v
		}
		if setting == "" {
			theirs[k] = v
		}
	}
	theirs["ENGINE_GRAPHQL_NATS_URL"] = c.settings["ENGINE_GRAPHQL_NATS_URL"]
	theirs["ACME_GRAPHQL_ACTIONS_HOOK"], theirs["ACME_GRAPHQL_EVENTS_HOOK"] = hook.URL, hook.URL
	var own map[string]string
	p.read("settings.yaml", &own)
	for k, v := range own {
		theirs[k] = strings.ReplaceAll(v, "$HOOK", hook.URL)
	}
	if theirs["ACME_GRAPHQL_AUTH_HOOK"] == "" {
		theirs["ACME_GRAPHQL_JWT_SECRET"] = `{"type":"HS256","key":"` + movedKey + `"}`
	}
	if k, v, ok := strings.Cut(setting, "="); ok {
		theirs[k] = v
	}
	c.settings = theirs
	p.server = c.startAll()
	p.url = p.server.url
	p.does(0, "migrate apply")
	p.said = p.does(0, "metadata apply")
	return p
}

func (p *movedProject) requests() []movedRequest {
	p.t.Helper()
	var list []movedRequest
	p.read("requests.yaml", &list)
	require.NotEmpty(p.t, list)
	return list
}

// read reads a file of the project that it may lack.
func (p *movedProject) read(name string, into any) {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(p.dir, name))
	if os.IsNotExist(err) {
		return
	}
	require.NoError(p.t, err)
	require.NoError(p.t, yaml.Unmarshal(text, into), name)
}

// ask sends one request, which must have its expected answer.
func (p *movedProject) ask(r movedRequest) {
	p.t.Helper()
	header := maps.Clone(r.Headers)
	if header == nil {
		header = map[string]string{}
	}
	if r.Token != nil {
		header["Authorization"] = "Bearer " + movedToken(p.t, map[string]any{"https://acme.io/jwt/claims": r.Token})
	}
	want, err := json.Marshal(r.Want)
	require.NoError(p.t, err)
	if r.Subscription != "" {
		s := p.server.subscriber(header)
		s.await(s.subscribe(r.Subscription, nil), string(want))
		return
	}
	if r.Path == "" {
		r.Path, r.Body = "/v1/graphql", map[string]any{"query": r.Query}
	}
	a := p.server.post(r.Path, header, r.Body)
	if r.Contains != "" {
		require.Contains(p.t, a.text(), r.Contains, r.Says)
		return
	}
	require.JSONEq(p.t, string(want), a.text(), r.Says)
}

// movedToken is a token with the claims.
func movedToken(t *testing.T, claims any) string {
	t.Helper()
	payload, err := json.Marshal(claims)
	require.NoError(t, err)
	text := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + base64.RawURLEncoding.EncodeToString(payload)
	mac := hmac.New(sha256.New, []byte(movedKey))
	_, _ = mac.Write([]byte(text)) // never fails
	return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// movedHook is what the projects call. It was written for the other engine: it knows no names
// but its.
type movedHook struct {
	*httptest.Server
	t *testing.T

	mu     sync.Mutex
	events []string
}

func newMovedHook(t *testing.T) *movedHook {
	t.Helper()
	h := &movedHook{t: t}
	mux := http.NewServeMux()
	mux.HandleFunc("/visits", h.visits)
	mux.HandleFunc("/auth", h.auth)
	mux.HandleFunc("/lend", h.lend)
	mux.HandleFunc("/weigh", h.weigh)
	mux.Handle("/graphql", movedRemote(t))
	h.Server = httptest.NewServer(mux)
	t.Cleanup(h.Close)
	return h
}

// visits takes an event.
func (h *movedHook) visits(_ http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events = append(h.events, string(body))
}

// auth knows the readers by their header, and lets them choose the role reader.
func (h *movedHook) auth(w http.ResponseWriter, r *http.Request) {
	var asked struct{ Headers map[string]string }
	_ = json.NewDecoder(r.Body).Decode(&asked)
	shelf, ok := strings.CutPrefix(asked.Headers["Authorization"], "reader of ")
	if !ok || asked.Headers["X-Acme-Role"] != "reader" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	answerJSON(w, map[string]string{"X-Acme-Role": "reader", "X-Acme-User-Id": "11", "X-Acme-Shelf": shelf})
}

// movedCall is what handlers learn of the caller.
type movedCall struct {
	SessionVariables map[string]string `json:"session_variables"`
	Input            struct{ Book int }
}

func (h *movedHook) lend(w http.ResponseWriter, r *http.Request) {
	var c movedCall
	_ = json.NewDecoder(r.Body).Decode(&c)
	if len(r.Header.Values("X-Acme-User-Id")) > 0 { // a client's own claims aren't forwarded
		w.WriteHeader(http.StatusBadRequest)
		answerJSON(w, map[string]string{"message": "a header of the client"})
		return
	}
	answerJSON(w, map[string]any{"reader": c.SessionVariables["x-acme-user-id"], "role": c.SessionVariables["x-acme-role"], "book_id": c.Input.Book})
}

func (h *movedHook) weigh(w http.ResponseWriter, r *http.Request) {
	var c movedCall
	_ = json.NewDecoder(r.Body).Decode(&c)
	if user := c.SessionVariables["x-acme-user-id"]; user != "u3" {
		w.WriteHeader(http.StatusBadRequest)
		answerJSON(w, map[string]string{"message": "not for " + user})
	}
}

func answerJSON(w http.ResponseWriter, v any) { _ = json.NewEncoder(w).Encode(v) } // of texts and numbers

// awaitEvent waits until an event has come.
func (h *movedHook) awaitEvent(want any) {
	h.t.Helper()
	text, err := json.Marshal(want)
	require.NoError(h.t, err)
	has := func() (found bool, all string) {
		h.mu.Lock()
		defer h.mu.Unlock()
		for _, e := range h.events {
			found = found || sameJSON(e, string(text))
		}
		return found, strings.Join(h.events, "\n")
	}
	eventually(h.t, startLimit, func() bool { found, _ := has(); return found }, func() string {
		_, all := has()
		return "wanted the event " + string(text) + ", got " + all
	})
}

// movedRemote is a GraphQL server that returns the headers it receives.
func movedRemote(t *testing.T) http.Handler {
	t.Helper()
	text := graphql.FieldConfigArgument{"given": {Type: graphql.String}}
	named := graphql.FieldConfigArgument{"name": {Type: graphql.NewNonNull(graphql.String)}}
	type headers struct{}
	schema, err := graphql.NewSchema(graphql.SchemaConfig{Query: graphql.NewObject(graphql.ObjectConfig{Name: "Query", Fields: graphql.Fields{
		"me": {Type: graphql.String, Args: text, Resolve: func(p graphql.ResolveParams) (any, error) { return p.Args["given"], nil }},
		"header": {Type: graphql.String, Args: named, Resolve: func(p graphql.ResolveParams) (any, error) {
			h, _ := p.Context.Value(headers{}).(http.Header)
			name, _ := p.Args["name"].(string)
			return h.Get(name), nil
		}},
	}})})
	require.NoError(t, err)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct {
			Query     string         `json:"query"`
			Operation string         `json:"operationName"`
			Variables map[string]any `json:"variables"`
		}
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		answerJSON(w, graphql.Do(graphql.Params{
			Schema: schema, RequestString: request.Query, OperationName: request.Operation, VariableValues: request.Variables,
			Context: context.WithValue(r.Context(), headers{}, r.Header),
		}))
	})
}

// awaitPart waits until an event has come that has this part.
func (h *movedHook) awaitPart(part string) {
	h.t.Helper()
	all := func() string {
		h.mu.Lock()
		defer h.mu.Unlock()
		return strings.Join(h.events, "\n")
	}
	eventually(h.t, startLimit, func() bool { return strings.Contains(all(), part) },
		func() string { return "wanted an event with " + part + ", got " + all() })
}

// asksByUpgrade has the headers of a WebSocket's upgrade be those of its session.
func (p *movedProject) asksByUpgrade() {
	p.t.Helper()
	socket, _, err := websocket.Dial(p.t.Context(), "ws"+strings.TrimPrefix(p.url, "http")+"/v1/graphql", &websocket.DialOptions{
		Subprotocols: []string{"graphql-transport-ws"},
		HTTPHeader: http.Header{
			"X-Acme-Admin-Secret": {secret}, "X-Acme-Role": {"admin"}, "X-Engine-Role": {"courier"}, "X-Acme-User-Id": {"u1"},
		},
	})
	require.NoError(p.t, err)
	defer socket.CloseNow() //nolint:errcheck // the test is over then
	for sent, want := range []struct{ message, want string }{
		{`{"type":"connection_init","payload":{}}`, `{"type":"connection_ack"}`},
		{
			`{"type":"subscribe","id":"1","payload":{"query":"{parcel {owner} header(name: \"X-Acme-User-Id\")}"}}`,
			`{"type":"next","id":"1","payload":{"data":{"parcel":[{"owner":"u1"}],"header":"u1"}}}`,
		},
	} {
		require.NoError(p.t, socket.Write(p.t.Context(), websocket.MessageText, []byte(want.message)))
		got := []byte(`"type":"ping"`)
		for bytes.Contains(got, []byte(`"type":"ping"`)) {
			_, got, err = socket.Read(p.t.Context())
			require.NoError(p.t, err)
		}
		require.JSONEq(p.t, want.want, string(got), "message %d", sent)
	}
}
