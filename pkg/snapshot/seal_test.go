package snapshot

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	sealingKey = "0123456789abcdef0123456789abcdef"
	otherKey   = "fedcba9876543210fedcba9876543210"
)

func sealer(t *testing.T, keys string) *Sealer {
	t.Helper()
	s, err := NewSealer(keys)
	require.NoError(t, err)
	return s
}

// TestRedact: secrets in these values are not shown, everything else stays.
func TestRedact(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind       Kind
		have, want string // want is "" for the same
	}{
		{KindSource, `{"name":"a","configuration":{"connection_info":{"database_url":{"from_env":"DB"},"pool_settings":{"max":5}}}}`, ``},
		{
			KindSource, `{"configuration":{"connection_info":{"database_url":"postgres://u:hush@h:5/d?sslmode=require&x=hush"}},"name":"a"}`,
			`{"configuration":{"connection_info":{"database_url":"postgres://u:***@h:5/d?sslmode=require&x=***"}},"name":"a"}`,
		},
		{KindSource, `{"connection_info":{"database_url":"host=h password=hush"}}`, `{"connection_info":{"database_url":"***"}}`},
		{KindSource, `{"connection_info":{"database_url":"postgres://{{U}}:{{P}}@h/d"}}`, ``},
		{
			KindSource, `{"read_replicas":[{"database_url":{"connection_parameters":{"host":"h","password":"hush","port":1}},"ssl":{"sslpassword":"hush","sslkey":{"from_env":"K"}}}]}`,
			`{"read_replicas":[{"database_url":{"connection_parameters":{"host":"h","password":"***","port":1}},"ssl":{"sslpassword":"***","sslkey":{"from_env":"K"}}}]}`,
		},
		{
			KindTable, `{"event_triggers":[{"name":"t","webhook":"https://hooks.test/services/T0AB/B0CD1234EF56GH78/hush0hush0hush0hush?k=hush","headers":[{"name":"A","value":"hush"},{"name":"B","value_from_env":"V"},{"value":"Bearer {{T}}","name":"C"}]}]}`,
			`{"event_triggers":[{"name":"t","webhook":"https://hooks.test/services/T0AB/***/***?k=***","headers":[{"name":"A","value":"***"},{"name":"B","value_from_env":"V"},{"value":"Bearer {{T}}","name":"C"}]}]}`,
		},
		{KindTable, `{"event_triggers":[{"webhook":"http://h:1/a/long-name-of-a-path/v1"}],"select_permissions":[{"role":"u","permission":{"filter":{"x":{"_eq":1e3}}}}]}`, ``},
		{
			KindAction, `{"definition":{"handler":"{{H}}/x","request_transform":{"request_headers":{"add_headers":{"Authorization":"hush","Content-Type":"a/b"}},"query_params":{"k":"hush"}}}}`,
			`{"definition":{"handler":"{{H}}/x","request_transform":{"request_headers":{"add_headers":{"Authorization":"***","Content-Type":"a/b"}},"query_params":{"k":"***"}}}}`,
		},
		{KindRemoteSchema, `{"definition":{"url":"https://u:hu%40sh@h/g"}}`, `{"definition":{"url":"https://u:***@h/g"}}`},
		{
			KindOpenTelemetry, `{"exporter_otlp":{"headers":[{"name":"k","value":"hush"}],"otlp_traces_endpoint":"http://h/v1/traces"}}`,
			`{"exporter_otlp":{"headers":[{"name":"k","value":"***"}],"otlp_traces_endpoint":"http://h/v1/traces"}}`,
		},
		{KindInconsistent, `[{"definition":{"headers":[{"name":"k","value":"hush"}]}}]`, `[{"definition":{"headers":[{"name":"k","value":"***"}]}}]`},
		{
			KindSource, `{"name":"a","foreign":{"configuration":{"value":{"key":"hush"},"list":["hush",{"account":"hush"}]},"kind":"x"},"kind":"x"}`,
			`{"name":"a","foreign":"***","kind":"x"}`,
		},
		{KindBackends, `{"dataconnector":{"x":{"uri":"http://h","key":"hush"}}}`, `"***"`},
		{KindCatalogTable, `{"comment":"see https://u:p@h/"}`, ``},
		{KindRemoteSchema, `{"definition":{"url":"https://u:hush/hu?sh@h:port/"}}`, `{"definition":{"url":"https://u:***@h:port/"}}`},
	} {
		got, changed, err := redact(c.kind, json.RawMessage(c.have))
		require.NoError(t, err, c.have)
		require.Equal(t, c.want != "", changed, c.have)
		if c.want == "" {
			c.want = c.have
		}
		require.Equal(t, c.want, string(got))
		require.NotContains(t, string(got), "hush")
	}
}

func TestSealedChanges(t *testing.T) {
	t.Parallel()
	plain := []byte(`{"stream_id":"s","version":2,"base":1,"at":"2015-01-02T03:04:05Z","objects":[{"kind":"table","name":"t","op":"set","value":{"a":1}}]}`)
	secret := []byte(strings.Replace(string(plain), `{"a":1}`, `{"headers":[{"name":"k","value":"hush"}]}`, 1))
	s := sealer(t, sealingKey)

	same, err := s.Seal("s", 2, plain)
	require.NoError(t, err)
	require.Equal(t, plain, same, "without secrets a message is what it was")

	shown, err := s.Seal("s", 2, secret)
	require.NoError(t, err)
	require.NotContains(t, string(shown), "hush")
	change, err := DecodeChange(shown)
	require.NoError(t, err)
	require.JSONEq(t, `{"headers":[{"name":"k","value":"***"}]}`, string(change.Objects[0].Value))
	require.EqualValues(t, 2, change.Version)

	for _, keys := range []string{sealingKey, otherKey + "," + sealingKey} {
		whole, err := sealer(t, keys).Open("s", 2, shown)
		require.NoError(t, err)
		require.Equal(t, secret, whole)
	}
	_, err = sealer(t, otherKey).Open("s", 2, shown)
	require.ErrorContains(t, err, "sealed with another key")
	_, err = s.Open("s", 3, shown)
	require.ErrorIs(t, err, errWrongKey, "it can't be moved to another version")
	var none *Sealer
	_, err = none.Open("s", 2, shown)
	require.ErrorContains(t, err, "--metadata-key")
	whole, err := none.Open("s", 2, plain)
	require.NoError(t, err)
	require.Equal(t, plain, whole)
	_, err = NewSealer("short")
	require.Error(t, err)
}
