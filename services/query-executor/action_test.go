package queryexecutor

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/egress"
	queryv1 "queryengine/proto/query/v1"
)

// actionHandler answers calls as the test sets, and records them.
type actionHandler struct {
	*httptest.Server
	mu     sync.Mutex
	answer http.HandlerFunc
	calls  []actionRequest
}

type actionRequest struct {
	Action       map[string]string `json:"action"`
	Input        json.RawMessage   `json:"input"`
	Session      map[string]string `json:"session_variables"`
	RequestQuery string            `json:"request_query"`
	header       http.Header
	host         string
}

func (h *actionHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	call := actionRequest{header: r.Header, host: r.Host}
	_ = json.Unmarshal(body, &call)
	h.mu.Lock()
	h.calls = append(h.calls, call)
	answer := h.answer
	h.mu.Unlock()
	answer(w, r)
}

func (h *actionHandler) answerWith(status int, body string) {
	h.does(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Add("Set-Cookie", "taste=sweet")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
}

func (h *actionHandler) does(f http.HandlerFunc) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.answer = f
}

// called takes the calls since the last time.
func (h *actionHandler) called() []actionRequest {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := h.calls
	h.calls = nil
	return list
}

const actionTypes = `{
	"scalars":[{"name":"Anything"}],
	"enums":[{"name":"Mood","values":[{"value":"GOOD","is_deprecated":false},{"value":"BAD","is_deprecated":true}]}],
	"input_objects":[{"name":"In","fields":[{"name":"n","type":"Int!"},{"name":"mood","type":"Mood"},{"name":"in","type":"[In!]"}]}],
	"objects":[
		{"name":"Address","fields":[{"name":"city","type":"String!"},{"name":"street","type":"String"},{"name":"next","type":"Address"}]},
		{"name":"Flat","fields":[{"name":"id","type":"Int!"}],
			"relationships":[{"name":"artist","type":"object","remote_table":{"schema":"public","name":"artist"},"field_mapping":{"id":"id"}}]},
		{"name":"Out","fields":[{"name":"id","type":"Int!"},{"name":"name","type":"String"},{"name":"mood","type":"Mood"},{"name":"home","type":"Address"}],
			"relationships":[
				{"name":"artist","type":"object","remote_table":{"schema":"public","name":"artist"},"field_mapping":{"id":"id"}},
				{"name":"albums","type":"array","remote_table":{"schema":"public","name":"album"},"field_mapping":{"id":"artist_id"}}]}]}`

// newActions is an executor of a database and actions: "ask" is a query and "do" a mutation,
// which answer with the given types.
func newActions(t testing.TB, output, more string, permissions ...string) (*Executor, *actionHandler) {
	t.Helper()
	h := &actionHandler{}
	h.Server = httptest.NewServer(h)
	t.Cleanup(h.Close)
	c := Config{Egress: egress.DefaultConfig()}
	c.Egress.MaxResponse = 1 << 16
	e := newFixture(t, "testdata/cases/shop", c)
	next := *e.state.Load().snapshot
	document := *next.Document
	document.CustomTypes = json.RawMessage(actionTypes)
	allowed, err := json.Marshal(permissions)
	require.NoError(t, err)
	roles := strings.NewReplacer(`["`, `[{"role":"`, `","`, `"},{"role":"`, `"]`, `"}]`, `null`, `[]`).Replace(string(allowed))
	for _, kind := range [][2]string{{"ask", "query"}, {"do", "mutation"}} {
		document.Actions = append(document.Actions, json.RawMessage(fmt.Sprintf(`{"name":%q,"permissions":%s,"definition":{
			"type":%q,"handler":%q,"output_type":%q%s,
			"arguments":[{"name":"in","type":"In"},{"name":"list","type":"[Int!]"},{"name":"any","type":"Anything"},{"name":"id","type":"uuid"},{"name":"text","type":"ID"}]}}`,
			kind[0], roles, kind[1], h.URL, output, more)))
	}
	next.Document = &document
	next.Version++
	e.apply(&next)
	require.Empty(t, e.state.Load().schema.Inconsistencies())
	return e, h
}

func failing(t testing.TB, e *Executor, query, variables string) *apierror.Error {
	t.Helper()
	err := e.execute(t.Context(), &queryv1.ExecuteRequest{Session: asAdmin(), Query: query, Variables: []byte(variables)}, &reply{})
	require.Error(t, err, query)
	return apierror.From(err)
}

func TestActions(t *testing.T) {
	t.Parallel()
	e, h := newActions(t, "[Out!]", "")
	const answer = `[{"id":1,"name":"x","extra":true,"home":{"city":"Ulm","next":{"city":"Bonn"}}},{"id":99}]`
	h.answerWith(http.StatusOK, answer)
	for _, tt := range []struct{ query, variables, want, input string }{
		{`{ ask { id n: name __typename } }`, ``, `{"ask":[{"id":1,"n":"x","__typename":"Out"},{"id":99,"n":null,"__typename":"Out"}]}`, `{}`},
		{`{ ask { home { street next { city next { city } } } } }`, ``, `{"ask":[{"home":{"street":null,"next":{"city":"Bonn"}}},{"home":null}]}`, `{}`},
		{`{ ask { artist { name } name } }`, ``, `{"ask":[{"artist":{"name":"Kim"},"name":"x"},{"artist":null,"name":null}]}`, `{}`},
		{`{ artist_by_pk(id: 1) { name } ask(text: 7) { id } }`, ``, `{"artist_by_pk":{"name":"Kim"},"ask":[{"id":1},{"id":99}]}`, `{"text":7}`},
		{
			`mutation ($n: Int!, $any: Anything, $m: Mood) { do(in: {n: $n, mood: $m, in: [{n: 2, mood: GOOD}]}, any: {a: [1, $any]}, list: 3) { id } }`,
			`{"n":5,"any":{"x":null}}`, `{"do":[{"id":1},{"id":99}]}`,
			`{"in":{"n":5,"mood":null,"in":[{"n":2,"mood":"GOOD"}]},"any":{"a":[1,{"x":null}]},"list":[3]}`,
		},
		{
			`mutation ($l: [Int!], $in: In!) { do(list: $l, in: $in, any: {list: 1}) { id } }`, `{"l":4,"in":{"n":1,"in":{"n":2,"in":[{"n":3,"in":null}]}}}`,
			`{"do":[{"id":1},{"id":99}]}`, `{"list":[4],"in":{"n":1,"in":[{"n":2,"in":[{"n":3,"in":null}]}]},"any":{"list":1}}`,
		},
		{`mutation { do(list: null, in: {n: 1, in: {n: 2}}) { id } }`, ``, `{"do":[{"id":1},{"id":99}]}`, `{"list":null,"in":{"n":1,"in":[{"n":2}]}}`},
	} {
		r := fetch(t, e, "admin", tt.query, tt.variables)
		require.Equal(t, `{"data":`+tt.want+`}`, r.String(), tt.query)
		calls := h.called()
		require.Len(t, calls, 1)
		require.JSONEq(t, tt.input, string(calls[0].Input))
		require.Equal(t, tt.query, calls[0].RequestQuery)
		require.Equal(t, "admin", calls[0].Session["x-engine-role"])
		require.Equal(t, "taste=sweet", r.headers["Set-Cookie"])
		require.Equal(t, "application/json", calls[0].header.Get("Content-Type"))
	}
}

func TestActionsOfRoles(t *testing.T) {
	t.Parallel()
	e, h := newActions(t, "Int", "", "clerk")
	h.answerWith(http.StatusOK, `7`)
	require.Equal(t, `{"data":{"ask":7}}`, fetch(t, e, "clerk", `{ ask }`, "").String())
	err := e.execute(t.Context(), &queryv1.ExecuteRequest{Session: &queryv1.Session{Role: "nobody"}, Query: `{ ask }`}, &reply{})
	require.Equal(t, "field 'ask' not found in type: 'query_root'", apierror.From(err).Message)
}

func TestActionInputsAreChecked(t *testing.T) {
	t.Parallel()
	e, h := newActions(t, "Int", "")
	for _, tt := range []struct{ query, variables, path, message string }{
		{`{ ask(in: {}) }`, ``, "$.selectionSet.ask.args.in.n", "missing required field 'n'"},
		{`{ ask(in: {n: "1"}) }`, ``, "$.selectionSet.ask.args.in.n", "expected a 32-bit integer for type 'Int', but found a string"},
		{`{ ask(in: {n: null}) }`, ``, "$.selectionSet.ask.args.in.n", "unexpected null value for type 'Int'"},
		{`{ ask(in: {n: 1, x: 1}) }`, ``, "$.selectionSet.ask.args.in.x", "field 'x' not found in type: 'In'"},
		{`{ ask(in: {n: 1, mood: "GOOD"}) }`, ``, "$.selectionSet.ask.args.in.mood", "expected an enum value for type 'Mood', but found a string"},
		{`{ ask(list: [1, true]) }`, ``, "$.selectionSet.ask.args.list[1]", "expected a 32-bit integer for type 'Int', but found a boolean"},
		{
			`query ($i: In) { ask(in: $i) }`, `{"i":{"n":1,"in":[{"n":2,"mood":"MIXED"}]}}`, "$.selectionSet.ask.args.in.in[0].mood",
			"expected one of the values ['GOOD', 'BAD'] for type 'Mood', but found 'MIXED'",
		},
		{`query ($i: String) { ask(in: {n: $i}) }`, ``, "$.selectionSet.ask.args.in.n", "variable 'i' is declared as 'String', but used where 'Int!' is expected"},
		{`{ ask(text: 1.5) }`, ``, "$.selectionSet.ask.args.text", "expected a String or a 32-bit integer for type 'ID', but found a float"},
		{`{ ask { a } }`, ``, "$.selectionSet.ask", "unexpected subselection set for non-object field"},
		{`{ ask(y: 1) }`, ``, "$.selectionSet.ask", "'ask' has no argument named 'y'"},
	} {
		got := failing(t, e, tt.query, tt.variables)
		require.Equal(t, []string{"validation-failed", tt.path, tt.message}, []string{string(got.Code), got.Path, got.Message}, tt.query)
	}
	require.Equal(t, "$.selectionSet.ask.args.id", failing(t, e, `{ ask(id: {}) }`, "").Path)
	require.Empty(t, h.called())
}

func TestAnswersOfHandlers(t *testing.T) {
	t.Parallel()
	object, objectHandler := newActions(t, "Out!", "")
	number, numberHandler := newActions(t, "[Int]", "")
	anything, anythingHandler := newActions(t, "[[Anything!]]!", "")
	for _, tt := range []struct {
		of      *Executor
		h       *actionHandler
		query   string
		answer  string
		message string
	}{
		{object, objectHandler, `{ ask { id } }`, `null`, "got null for the action webhook response"},
		{object, objectHandler, `{ ask { id } }`, `1`, "got scalar String for the action webhook response, expecting Out"},
		{object, objectHandler, `{ ask { id } }`, `true`, "got scalar Boolean for the action webhook response, expecting Out"},
		{object, objectHandler, `{ ask { id } }`, `[]`, "got array for the action webhook response, expecting Out"},
		{object, objectHandler, `{ ask { id } }`, `{"name":"x"}`, `field "id" expected in webhook response, but not found`},
		{object, objectHandler, `{ ask { name } }`, `{"id":null}`, `expecting not null value for field "id"`},
		{number, numberHandler, `{ ask }`, `{}`, "expecting array for the action webhook response"},
		{number, numberHandler, `{ ask }`, `[1,"x"]`, "got scalar String for the action webhook response, expecting Int"},
		{number, numberHandler, `{ ask }`, `[{}]`, "got object for the action webhook response, expecting Int"},
		{anything, anythingHandler, `{ ask }`, `[{}]`, "expecting array for the action webhook response"},
		{number, numberHandler, `{ ask }`, `what`, "not a valid json response from webhook"},
		{number, numberHandler, `{ ask }`, ``, "not a valid json response from webhook"},
	} {
		tt.h.answerWith(http.StatusOK, tt.answer)
		e := failing(t, tt.of, tt.query, "")
		require.Equal(t, []string{"unexpected", "$", tt.message}, []string{string(e.Code), e.Path, e.Message}, tt.answer)
		require.NotNil(t, e.Internal)
	}
	numberHandler.answerWith(http.StatusCreated, `null`)
	require.Equal(t, `{"data":{"ask":null}}`, fetch(t, number, "admin", `{ ask }`, "").String())
	anythingHandler.answerWith(http.StatusOK, `[[1,{"a":2}],null]`)
	require.Equal(t, `{"data":{"ask":[[1,{"a":2}],null]}}`, fetch(t, anything, "admin", `{ ask }`, "").String())
}

func TestErrorsOfHandlers(t *testing.T) {
	t.Parallel()
	e, h := newActions(t, "Int", "")
	for _, tt := range []struct {
		status                    int
		body, code, path, message string
		extensions                string
		want                      int
	}{
		{400, `{"message":"no","code":"refused"}`, "refused", "$", "no", ``, 400},
		{404, `{"message":"no"}`, "unexpected", "$", "no", ``, 404},
		{422, `{"message":"no","code":"a","extensions":{"code":"b","n":1}}`, "a", "$", "no", `{"code":"b","n":1}`, 422},
		{400, `{"code":"refused"}`, "parse-failed", "$", `key "message" not found`, ``, 400},
		{400, `[]`, "parse-failed", "$", "parsing ActionWebhookErrorResponse failed, expected Object", ``, 400},
		{400, `{"message":5}`, "parse-failed", "$", "parsing Text failed, expected String, but encountered another type", ``, 400},
		{500, `{"message":"no"}`, "unexpected", "$", "internal error", ``, 500},
		{304, ``, "unexpected", "$", "not a valid json response from webhook", ``, 500},
	} {
		h.answerWith(tt.status, tt.body)
		got := failing(t, e, `mutation { do }`, "")
		require.Equal(t, []any{tt.code, tt.path, tt.message, tt.want, tt.extensions},
			[]any{string(got.Code), got.Path, got.Message, got.Status, string(got.Extensions)}, tt.body)
	}
}

func TestHostileHandlers(t *testing.T) {
	t.Parallel()
	e, h := newActions(t, "Int", `,"timeout":1,"headers":[{"name":"X-Key","value":"k"}]`)
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	for name, does := range map[string]http.HandlerFunc{
		"Response timeout": func(http.ResponseWriter, *http.Request) {
			<-release
		},
		"Internal error: the response is larger than 65536 bytes": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, strings.Repeat("1", 1<<17))
		},
		"No response data received": func(http.ResponseWriter, *http.Request) {
			panic(http.ErrAbortHandler)
		},
	} {
		h.does(does)
		started := time.Now()
		got := failing(t, e, `{ ask }`, "")
		require.Equal(t, "http exception when calling webhook", got.Message)
		require.Contains(t, string(got.InternalJSON()), name)
		require.Less(t, time.Since(started), 30*time.Second)
	}
	for _, call := range h.called() {
		require.Equal(t, "k", call.header.Get("X-Key"))
	}
}

func TestTransformsOfActions(t *testing.T) {
	t.Parallel()
	e, h := newActions(t, "Int", `,
		"request_transform":{"version":2,"template_engine":"Kriti","body":{"action":"transform","template":"{\"input\":{\"doubled\":{{$body.input.list}}}}"}},
		"response_transform":{"version":2,"template_engine":"Kriti","body":{"action":"transform","template":"{{$body.value}}"}}`)
	h.answerWith(http.StatusOK, `{"value":4}`)
	require.Equal(t, `{"data":{"ask":4}}`, fetch(t, e, "admin", `{ ask(list: [1]) }`, "").String())
	require.JSONEq(t, `{"doubled":[1]}`, string(h.called()[0].Input))
	h.answerWith(http.StatusOK, `{}`)
	require.Equal(t, "Response Transformation Failed", failing(t, e, `{ ask(list: 1) }`, "").Message)
}

func TestForwardedHeaders(t *testing.T) {
	t.Parallel()
	e, h := newActions(t, "Int", `,"forward_client_headers":true,"ignored_client_headers":["X-Secret","User-Agent"]`)
	h.answerWith(http.StatusOK, `1`)
	headers := map[string]string{
		"x-secret": "s", "cookie": "c", "user-agent": "browser", "x-engine-role": "admin",
		"host": "shop", "accept-encoding": "br", "connection": "x-hop", "x-hop": "1",
	}
	require.NoError(t, e.execute(t.Context(), &queryv1.ExecuteRequest{Session: asAdmin(), Query: `{ ask }`, ClientHeaders: headers}, &reply{}))
	call := h.called()[0]
	got := call.header
	require.Equal(t, "c", got.Get("Cookie"))
	require.Equal(t, "browser", got.Get("X-Forwarded-User-Agent"))
	require.Equal(t, "shop", got.Get("X-Forwarded-Host"))
	require.Empty(t, got.Get("X-Secret"))
	require.Empty(t, got.Get("X-Engine-Role"))
	require.NotEqual(t, "shop", call.host, "a client doesn't choose the virtual host")
	require.NotEqual(t, "br", got.Get("Accept-Encoding"))
	require.Empty(t, got.Get("X-Hop"))
}
