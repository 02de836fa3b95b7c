package queryexecutor

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend/kind"
	"queryengine/pkg/egress"
	"queryengine/pkg/session"
	"queryengine/pkg/telemetry"
	planenv "queryengine/services/query-executor/internal/plan/env"
)

// validated is an executor for tables whose permissions have webhooks, and what these hear.
type validated struct {
	*Executor
	mu    sync.Mutex
	calls []hookCall
	// answer is the answer of the webhooks, 200 by default.
	answer func(path string) (status int, body string)
}

type hookCall struct {
	path   string
	header http.Header
	body   string
}

func newValidated(t *testing.T) *validated {
	t.Helper()
	v := &validated{answer: func(string) (int, string) { return http.StatusOK, "" }}
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		v.mu.Lock()
		v.calls = append(v.calls, hookCall{r.URL.Path, r.Header, string(body)})
		say := v.answer
		v.mu.Unlock()
		status, text := say(r.URL.Path)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(hook.Close)
	const feature = "testdata/validated"
	database := newDatabase(t, feature)
	env := func(name string) (string, bool) {
		switch name {
		case "HOOK":
			return hook.URL, true
		case "KEY":
			return "hush", true
		}
		return database(name)
	}
	var err error
	v.Executor, err = newExecutor(Config{
		PlanCacheSize: 100, Limits: planenv.DefaultLimits, InferFunctionPermissions: true, Egress: egress.DefaultConfig(),
	}, Deps{Kinds: kind.All(env, serviceName), Env: env, Logger: telemetry.Discard()})
	require.NoError(t, err)
	t.Cleanup(v.sources.Close)
	v.apply(readSnapshot(t, feature, env))
	require.Empty(t, v.state.Load().schema.Inconsistencies())
	return v
}

func (v *validated) run(t *testing.T, query, variables string) string {
	t.Helper()
	v.forget()
	return string(answer(t, v.Executor, &request{
		session: &session.Session{Role: "buyer", Variables: map[string]string{"x-engine-role": "buyer", "x-engine-user-id": "7"}},
		text:    query, variables: []byte(variables),
		clientHeaders: map[string]string{"authorization": "Bearer a", "x-shop": "client", "user-agent": "browser", "x-engine-role": "buyer"},
	}))
}

func (v *validated) forget() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.calls = nil
}

func (v *validated) says(answer func(path string) (status int, body string)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.answer = answer
}

func (v *validated) heard() []hookCall {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.calls
}

// requireCalls compares the paths and the inputs of the calls.
func (v *validated) requireCalls(t *testing.T, want ...string) {
	t.Helper()
	var got []string
	for _, c := range v.heard() {
		var body struct {
			Version   int               `json:"version"`
			Role      string            `json:"role"`
			Variables map[string]string `json:"session_variables"`
			Data      map[string]json.RawMessage
		}
		require.NoError(t, json.Unmarshal([]byte(c.body), &body))
		require.Equal(t, 1, body.Version)
		require.Equal(t, "buyer", body.Role)
		require.Equal(t, map[string]string{"x-engine-role": "buyer", "x-engine-user-id": "7"}, body.Variables)
		require.Len(t, body.Data, 1)
		got = append(got, c.path+" "+string(body.Data["input"]))
	}
	require.Equal(t, want, got)
}

func TestValidateInput(t *testing.T) {
	t.Parallel()
	v := newValidated(t)
	for _, c := range []struct {
		name, query, variables string
		calls                  []string
	}{
		{
			"rows by the names of the database",
			`mutation ($t: String, $none: String) { insert_album(objects: [{title: "A", releasedOn: "2015-01-02"}, {title: $t}]) { affected_rows } }`, `{"t": "B"}`,
			[]string{`/album/insert [{"released":"2015-01-02","title":"A"},{"title":"B"}]`},
		},
		{
			"rows of a variable, the last of equal keys",
			`mutation ($o: [album_insert_input!]!) { insert_album(objects: $o) { affected_rows } }`, `{"o": {"title": "x", "title": "C"}}`,
			[]string{`/album/insert [{"title":"C"}]`},
		},
		{
			"each table once, with what is below it",
			`mutation { insert_track(objects: [
				{name: "1", length: 61, clips: {data: [{url: "a"}, {url: "b"}]}, album: {data: {title: "D", tracks: {data: {name: "2", clips: {data: {url: "c"}}}}}}},
				{name: "3", clips: {data: []}, album: null}, {name: "4", clips: {data: {url: "d"}}}]) { affected_rows } }`, ``,
			[]string{
				`/album/insert [{"title":"D","tracks":{"data":[{"clips":{"data":[{"url":"c"}]},"name":"2"}]}}]`,
				`/clip/insert [{"url":"c"},{"url":"a"},{"url":"b"},{"url":"d"}]`,
			},
		},
		{
			"an upsert, which may update",
			`mutation { insert_album(objects: [{title: "A", releasedOn: "2016-01-02"}, {title: "G", releasedOn: null}],
				on_conflict: {constraint: album_title_key, update_columns: [releasedOn]}) { affected_rows } }`, ``,
			[]string{
				`/album/insert [{"released":"2016-01-02","title":"A"},{"released":null,"title":"G"}]`,
				`/album/update [{"_set":{"releasedOn":"2016-01-02"}},{"_set":{"releasedOn":null}}]`,
			},
		},
		{
			"an upsert that updates nothing",
			`mutation { insert_album_one(object: {title: "A"}, on_conflict: {constraint: album_title_key, update_columns: []}) { id } }`, ``,
			[]string{`/album/insert [{"title":"A"}]`},
		},
		{"one row", `mutation { insert_album_one(object: {title: "E"}) { id } }`, ``, []string{`/album/insert [{"title":"E"}]`}},
		{"no row", `mutation { insert_album(objects: []) { affected_rows } }`, ``, nil},
		{
			"an update", `mutation ($w: album_bool_exp!) { update_album(_set: {title: "E2"}, where: $w) { affected_rows } }`, `{"w": {"title": {"_eq": "E"}}}`,
			[]string{`/album/update [{"_set":{"title":"E2"},"where":{"title":{"_eq":"E"}}}]`},
		},
		{"an update of nothing", `mutation { update_album(where: {}) { affected_rows } }`, ``, nil},
		{
			"an update by key", `mutation { update_album_by_pk(pk_columns: {id: 1000}, _set: {title: "x"}) { id } }`, ``,
			[]string{`/album/update [{"_set":{"title":"x"},"pk_columns":{"id":1000}}]`},
		},
		{
			"several updates", `mutation { update_album_many(updates: [{where: {id: {_eq: 1000}}, _set: {title: "y"}}, {where: {id: {_lt: 0}}, _set: {title: "z"}}]) { affected_rows } }`, ``,
			[]string{`/album/update [{"_set":{"title":"y"},"where":{"id":{"_eq":1000}}},{"_set":{"title":"z"},"where":{"id":{"_lt":0}}}]`},
		},
		{"a deletion", `mutation { delete_album(where: {id: {_lt: 0}}) { affected_rows } }`, ``, []string{`/album/delete [{"where":{"id":{"_lt":0}}}]`}},
		{"a deletion by key", `mutation ($id: Int!) { delete_album_by_pk(id: $id) { id } }`, `{"id": 1000}`, []string{`/album/delete [{"pk_columns":{"id":1000}}]`}},
		{
			"several root fields", `mutation { a: delete_album_by_pk(id: 1000) { id } insert_album(objects: {title: "F"}) { affected_rows } }`, ``,
			[]string{`/album/delete [{"pk_columns":{"id":1000}}]`, `/album/insert [{"title":"F"}]`},
		},
	} {
		require.Contains(t, v.run(t, c.query, c.variables), `{"data":`, c.name)
		v.requireCalls(t, c.calls...)
	}
}

func TestValidateInputHeaders(t *testing.T) {
	t.Parallel()
	v := newValidated(t)
	v.run(t, `mutation { insert_album(objects: {title: "A"}) { affected_rows } delete_album(where: {}) { affected_rows } }`, ``)
	require.Len(t, v.heard(), 2)
	h := v.heard()[0].header
	require.Equal(t, "application/json", h.Get("Content-Type"))
	require.Equal(t, egress.DefaultUserAgent, h.Get("User-Agent"))
	require.Equal(t, "browser", h.Get("X-Forwarded-User-Agent"))
	require.Equal(t, "Bearer a", h.Get("Authorization"))
	require.Equal(t, "hush", h.Get("X-Key"))
	require.Equal(t, "client", h.Get("X-Shop"), "the client's headers win over configured ones")
	require.Empty(t, h.Get("X-Engine-Role"))
	h = v.heard()[1].header
	require.Equal(t, "application/json", h.Get("Content-Type"))
	require.Empty(t, h.Get("Authorization"), "headers are passed on only where the definition says so")
}

func TestValidateInputVerdicts(t *testing.T) {
	t.Parallel()
	v := newValidated(t)
	const (
		refused  = `{"code":"validation-failed","error":"no","path":"$"}`
		own      = `{"code":"too-loud","error":"no","path":"$"}`
		invalid  = `{"code":"unexpected","error":"received invalid response from input validation webhook","path":"$"}`
		internal = `{"code":"unexpected","error":"internal error when validating input data","path":"$"}`
	)
	for _, c := range []struct {
		status     int
		body, want string
	}{
		{201, ``, `{"data":{"insert_album":{"affected_rows" : 1}, "delete_album":{"affected_rows" : 1}}}`},
		{204, `{"message":"ignored"}`, ``},
		{400, `{"message":"no"}`, refused},
		{400, `{"message":"no","code":"too-loud"}`, own},
		{400, `{"message":7}`, invalid},
		{400, `{}`, invalid},
		{400, `no`, invalid},
		{422, `{"message":"no"}`, internal},
		{500, `{"message":"no"}`, internal},
		{303, ``, internal},
	} {
		v.says(func(path string) (int, string) {
			if path == "/album/insert" {
				return http.StatusOK, ""
			}
			return c.status, c.body
		})
		got := v.run(t, `mutation { insert_album(objects: {title: "A"}) { affected_rows } delete_album(where: {title: {_eq: "A"}}) { affected_rows } }`, ``)
		require.Len(t, v.heard(), 2)
		if c.want == "" || c.status == 201 {
			require.Contains(t, got, `"data"`, c.status)
			continue
		}
		require.JSONEq(t, c.want, got, "%d %s", c.status, c.body)
		require.JSONEq(t, `{"data":{"album":[]}}`, v.run(t, `{ album { id } }`, ``), "nothing is written before all webhooks agree")
	}
}

func TestValidateInputTimeout(t *testing.T) {
	t.Parallel()
	v := newValidated(t)
	stuck := make(chan struct{})
	t.Cleanup(func() { close(stuck) })
	v.says(func(string) (int, string) { <-stuck; return http.StatusOK, "" })
	got := v.run(t, `mutation { insert_track(objects: {name: "1", clips: {data: {url: "a"}}}) { affected_rows } }`, ``)
	require.JSONEq(t, `{"code":"unexpected","error":"http exception when validating input data","path":"$"}`, got)
}

// TestValidateInputAsAdmin: admin has no permissions, so no webhook is called.
func TestValidateInputAsAdmin(t *testing.T) {
	t.Parallel()
	v := newValidated(t)
	got := answer(t, v.Executor, &request{session: adminSession(), text: `mutation { delete_album(where: {}) { affected_rows } }`})
	require.JSONEq(t, `{"data":{"delete_album":{"affected_rows":0}}}`, string(got))
	require.Empty(t, v.heard())
}
