package e2e

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/logtest"
)

// secretsOfOutgoing are what the services know of the world outside: in the environment, or in
// headers of the metadata that come from there.
var secretsOfOutgoing = map[string]string{
	"ACTION_KEY":      "key-of-the-action",
	"REMOTE_KEY":      "key-of-the-remote",
	"TRIGGER_KEY":     "key-of-the-trigger",
	"CRON_KEY":        "key-of-the-cron-trigger",
	"VALIDATOR_KEY":   "key-of-the-validator",
	"LATER_KEY":       "key-of-the-asynchronous-action",
	"EXPORTER_KEY":    "key-of-the-exporter",
	"SECRET_ADDRESS":  "", // set by the test: the path is the secret
	"SECRET_DATABASE": "postgres://somebody:password-of-another-database@127.0.0.1:1/x",
}

// secretPath is the part of SECRET_ADDRESS that is secret.
const secretPath = "path-that-is-unknown"

// TestSecretsOfOutgoingCallsStaySecret has actions, remote schemas, event and cron triggers call
// a server that answers, that fails and that isn't there, with secrets of the environment in
// addresses and headers; so does an authentication webhook. None of them may come out again.
func TestSecretsOfOutgoingCallsStaySecret(t *testing.T) {
	t.Parallel()
	const tokenKey = "key-of-tokens-0123456789abcdef-0123456789"
	token := signedToken(tokenKey, `{"claims":{"x-engine-default-role":"user","x-engine-allowed-roles":["user"]}}`)
	var traces, called logtest.Buffer
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(&traces, r.Body)
	}))
	t.Cleanup(collector.Close)
	outside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(&called, r.URL.Path+" "+r.Header.Get("X-Key")+"\n")
		switch {
		case strings.HasSuffix(r.URL.Path, "/fails"):
			http.Error(w, "no", http.StatusInternalServerError)
		case strings.HasSuffix(r.URL.Path, "/remote"):
			_, _ = io.WriteString(w, remoteIntrospection)
		case strings.HasSuffix(r.URL.Path, "/hook") && r.Header.Get("Authorization") == "":
			w.WriteHeader(http.StatusUnauthorized)
		case strings.HasSuffix(r.URL.Path, "/hook"):
			_, _ = io.WriteString(w, `{"X-Engine-Role":"user"}`)
		default:
			_, _ = io.WriteString(w, `{"text":"done"}`)
		}
	}))
	t.Cleanup(outside.Close)

	c := newCluster(t)
	for name, value := range secretsOfOutgoing {
		c.settings[name] = value
	}
	c.settings["SECRET_ADDRESS"] = outside.URL + "/" + secretPath
	c.settings["NO_ADDRESS"] = "http://127.0.0.1:1/" + secretPath
	for name, value := range map[string]string{
		"LOG_LEVEL":         "debug",
		"ENABLED_LOG_TYPES": "startup,http-log,webhook-log,websocket-log,jwk-refresh-log,query-log,execution-log,livequery-poller-log,action-handler-log,validate-input-log",
		"OTLP_ENDPOINT":     collector.URL,
		"DEV_MODE":          "true",
	} {
		c.settings["ENGINE_GRAPHQL_"+name] = value
	}
	execute(t, c.databaseURL, `CREATE TABLE note (id serial PRIMARY KEY, text text)`)
	processes := []*process{c.start(metadata), c.start(executor), c.start(eventDelivery), c.start(scheduler)}
	g := c.start(gateway, `JWT_SECRET={"type":"HS256","key":"`+tokenKey+`","claims_namespace":"claims"}`)
	hooked := c.start(gateway, "AUTH_HOOK="+outside.URL+"/hook")
	processes = append(processes, g, hooked)

	var answers strings.Builder
	ask := func(p *process, path string, header map[string]string, body any) answer {
		t.Helper()
		a := p.post(path, header, body)
		answers.WriteString(a.text() + "\n")
		return a
	}
	apply := func(kind string, args any) {
		ask(g, "/v1/metadata", asAdmin, map[string]any{"type": kind, "args": args})
	}
	type object = map[string]any
	key := func(name string) []object { return []object{{"name": "X-Key", "value_from_env": name}} }

	apply("pg_track_table", object{"table": "note"})
	apply("pg_create_select_permission", object{"table": "note", "role": "user", "permission": object{"columns": "*", "filter": object{}}})
	apply("set_custom_types", object{"objects": []object{{"name": "Done", "fields": []object{{"name": "text", "type": "String"}}}}})
	for name, handler := range map[string]string{"works": "{{SECRET_ADDRESS}}/works", "fails": "{{SECRET_ADDRESS}}/fails", "absent": "{{NO_ADDRESS}}/absent"} {
		apply("create_action", object{"name": name, "definition": object{
			"kind": "synchronous", "type": "query", "output_type": "Done", "handler": handler, "headers": key("ACTION_KEY"),
		}})
		apply("create_action_permission", object{"action": name, "role": "user"})
		apply("pg_create_event_trigger", object{
			"name": "on_" + name, "source": "default", "table": "note", "webhook": handler, "insert": object{"columns": "*"},
			"headers": key("TRIGGER_KEY"),
		})
		apply("create_scheduled_event", object{
			"webhook": handler, "schedule_at": time.Now().UTC().Format(time.RFC3339), "headers": key("CRON_KEY"),
		})
		apply("add_remote_schema", object{"name": "bad_" + name, "definition": object{"url": handler, "headers": key("REMOTE_KEY")}})
	}
	for name, path := range map[string]string{"user": "works", "clerk": "fails"} {
		apply("pg_create_insert_permission", object{"table": "note", "role": name, "permission": object{
			"columns": "*", "check": object{}, "validate_input": object{
				"type": "http", "definition": object{"url": "{{SECRET_ADDRESS}}/" + path, "headers": key("VALIDATOR_KEY")},
			},
		}})
	}
	apply("create_action", object{"name": "later", "definition": object{
		"kind": "asynchronous", "type": "mutation", "output_type": "Done", "handler": "{{SECRET_ADDRESS}}/fails", "headers": key("LATER_KEY"),
	}})
	apply("create_cron_trigger", object{
		"name": "minutely", "webhook": "{{SECRET_ADDRESS}}/fails", "schedule": "* * * * *", "include_in_metadata": true, "headers": key("CRON_KEY"),
	})
	apply("add_remote_schema", object{"name": "remote", "definition": object{"url_from_env": "SECRET_ADDRESS", "headers": key("REMOTE_KEY")}})
	apply("add_remote_schema", object{"name": "other", "definition": object{"url": "{{SECRET_ADDRESS}}/remote", "headers": key("REMOTE_KEY")}})
	apply("pg_add_source", object{"name": "gone", "configuration": object{"connection_info": object{"database_url": object{"from_env": "SECRET_DATABASE"}}}})
	apply("export_metadata", object{})
	apply("get_inconsistent_metadata", object{})

	bearer := map[string]string{"Authorization": "Bearer " + token}
	for _, header := range []map[string]string{asAdmin, bearer, as("user")} {
		for _, document := range []string{
			`{ works { text } }`, `{ fails { text } }`, `{ absent { text } }`, `{ note { id } }`, `{ remote_says }`, `{ nothing }`,
			`mutation { insert_note_one(object: {text: "a"}) { id } }`,
		} {
			ask(g, "/v1/graphql", header, object{"query": document})
			ask(hooked, "/v1/graphql", header, object{"query": document})
		}
	}
	ask(g, "/v1/graphql", as("clerk"), object{"query": `mutation { insert_note(objects: {text: "a"}) { affected_rows } }`})
	ask(g, "/v1/graphql", asAdmin, object{"query": `mutation { later }`})
	answers.WriteString(converse(t, g, secret) + converse(t, g, "wrong-"+secret) + converse(t, g, token))
	for _, endpoint := range []string{"{{SECRET_ADDRESS}}/fails", "{{NO_SUCH_VARIABLE}}/v1/traces"} {
		apply("set_opentelemetry_config", object{
			"status": "enabled", "data_types": []string{"traces"}, "exporter_otlp": object{
				"otlp_traces_endpoint": endpoint, "headers": key("EXPORTER_KEY"),
			}, "batch_span_processor": object{"max_export_batch_size": 1},
		})
		ask(g, "/v1/graphql", asAdmin, object{"query": `{ note { id } }`})
		if strings.HasPrefix(endpoint, "{{SECRET") {
			eventually(t, startLimit, func() bool { return strings.Contains(called.String(), "/fails "+secretsOfOutgoing["EXPORTER_KEY"]) },
				func() string { return "nothing was exported:\n" + called.String() })
		}
	}
	require.Contains(t, answers.String(), `"works":{"text":"done"}`)
	require.Contains(t, answers.String(), `"note":[`)
	invoked := func() bool {
		text := called.String()
		return strings.Contains(text, "/works "+secretsOfOutgoing["TRIGGER_KEY"]) && strings.Contains(text, "/fails "+secretsOfOutgoing["TRIGGER_KEY"]) &&
			strings.Contains(text, "/works "+secretsOfOutgoing["CRON_KEY"]) && strings.Contains(text, "/fails "+secretsOfOutgoing["CRON_KEY"]) &&
			strings.Contains(text, "/fails "+secretsOfOutgoing["LATER_KEY"]) && strings.Contains(text, "/fails "+secretsOfOutgoing["VALIDATOR_KEY"]) &&
			strings.Contains(text, "/works "+secretsOfOutgoing["VALIDATOR_KEY"])
	}
	eventually(t, time.Minute+startLimit, invoked, func() string { // a cron trigger has to come to its minute
		return "not all webhooks were called:\n" + called.String() + answers.String()
	})
	for _, name := range []string{"on_works", "on_fails", "on_absent"} {
		args := object{"name": name, "source": "default"}
		logged := func() bool {
			a := ask(g, "/v1/metadata", asAdmin, object{"type": "pg_get_event_invocation_logs", "args": args})
			return strings.Contains(a.text(), `"request"`)
		}
		eventually(t, startLimit, logged, func() string { return "no invocation of " + name + ":\n" + answers.String() })
	}
	apply("get_scheduled_event_invocations", object{"type": "one_off"})
	require.Contains(t, called.String(), secretsOfOutgoing["REMOTE_KEY"])
	require.Contains(t, called.String(), secretsOfOutgoing["ACTION_KEY"])

	out := map[string]string{"answers": answers.String()}
	for _, p := range processes {
		p.stop()
		out["log of "+p.name] += p.log.String()
	}
	out["traces"] = traces.String() // the last of them are sent when a process stops
	hidden := map[string]string{
		"admin secret": secret, "key of tokens": tokenKey, "token": token, "path of an address": secretPath,
		"password": "password-of-another-database",
	}
	for name, value := range secretsOfOutgoing {
		if strings.HasSuffix(name, "_KEY") {
			hidden[name] = value
		}
	}
	for place, text := range out {
		for name, value := range hidden {
			if i := strings.Index(text, value); i >= 0 {
				t.Errorf("the %s is in the %s: %s", name, place, text[max(0, i-300):min(len(text), i+100)])
			}
		}
	}
}

// converse opens a WebSocket with a text in the places where clients put secrets, runs an operation,
// and returns everything that the server sent.
func converse(t *testing.T, p *process, text string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), startLimit)
	defer cancel()
	socket, _, err := websocket.Dial(ctx, p.url+"/v1/graphql", &websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}})
	require.NoError(t, err)
	defer func() { _ = socket.CloseNow() }()
	for _, m := range []string{
		`{"type":"connection_init","payload":{"headers":{"X-Engine-Admin-Secret":"` + text + `","Authorization":"Bearer ` + text + `"}}}`,
		`{"type":"subscribe","id":"1","payload":{"query":"query { nothing }"}}`,
	} {
		if socket.Write(ctx, websocket.MessageText, []byte(m)) != nil {
			break // it was refused
		}
	}
	var said strings.Builder
	for {
		_, m, err := socket.Read(ctx)
		if err != nil {
			said.WriteString(err.Error() + "\n")
			return said.String()
		}
		said.Write(append(m, '\n'))
		if strings.Contains(string(m), `"type":"error"`) {
			return said.String()
		}
	}
}

// signedToken is a token of the algorithm HS256.
func signedToken(key, claims string) string {
	text := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + base64.RawURLEncoding.EncodeToString([]byte(claims))
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(text))
	return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// remoteIntrospection is the schema of a remote with one field.
const remoteIntrospection = `{"data":{"remote_says":"hello","__schema":{"queryType":{"name":"Query"},"mutationType":null,"subscriptionType":null,"directives":[],` +
	`"types":[{"kind":"OBJECT","name":"Query","description":null,"interfaces":[],"inputFields":null,"enumValues":null,"possibleTypes":null,` +
	`"fields":[{"name":"remote_says","description":null,"args":[],"isDeprecated":false,"deprecationReason":null,` +
	`"type":{"kind":"SCALAR","name":"String","ofType":null}}]},` +
	`{"kind":"SCALAR","name":"String","description":null,"fields":null,"interfaces":null,"inputFields":null,"enumValues":null,"possibleTypes":null}]}}}`
