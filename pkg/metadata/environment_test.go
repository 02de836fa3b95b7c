package metadata_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/metadata"
)

func variables(name string) (string, bool) {
	value, ok := map[string]string{"HOST": "http://h", " PATH ": "p", "EMPTY": ""}[name]
	return value, ok
}

func TestExpand(t *testing.T) {
	t.Parallel()
	for template, want := range map[string]string{
		"http://h/a":             "http://h/a",
		"{{HOST}}/{{ PATH }}":    "http://h/p",
		"{{EMPTY}}{{HOST}}{{":    "http://h{{",
		"a}}b{{HOST":             "a}}b{{HOST",
		"":                       "",
		"{{HOST}}{{EMPTY}}/{x}}": "http://h/{x}}",
	} {
		got, err := metadata.Expand(template, variables)
		require.NoError(t, err, template)
		require.Equal(t, want, got)
	}
	_, err := metadata.Expand("{{HOST}}{{NONE}}/{{PATH}}", variables)
	require.Equal(t, &apierror.Error{
		Code: apierror.Unexpected, Path: "$", Status: 400, Message: "Value for environment variables not found: NONE, PATH",
	}, err)
}

// TestExpandRefusesTheEnginesOwnSettings holds templates to the rule of value_from_env, wherever
// metadata has them.
func TestExpandRefusesTheEnginesOwnSettings(t *testing.T) {
	t.Parallel()
	env := func(string) (string, bool) { return "hush", true }
	const own = "{{ENGINE_GRAPHQL_JWT_SECRET}}"
	template := "http://h/?k=" + own
	header := []metadata.Header{{Name: "X", Value: &template}}
	for name, resolve := range map[string]func() (string, error){
		"text":    func() (string, error) { return metadata.Expand(template, env) },
		"header":  func() (string, error) { return header[0].Resolve(env) },
		"trigger": func() (string, error) { return (&metadata.EventTrigger{Webhook: &template}).Address(env) },
		"remote":  func() (string, error) { return (&metadata.RemoteSchemaDefinition{URL: &template}).Address(env) },
		"input": func() (string, error) {
			u, _, err := (&metadata.ValidateInputWebhook{URL: template}).Resolve(env)
			return u, err
		},
		"input header": func() (string, error) {
			u, _, err := (&metadata.ValidateInputWebhook{Headers: header}).Resolve(env)
			return u, err
		},
	} {
		got, err := resolve()
		require.EqualError(t, err, "parse-failed at $: env variables starting with \"ENGINE_GRAPHQL_\" are not allowed in templates: "+
			"ENGINE_GRAPHQL_JWT_SECRET", name)
		require.Empty(t, got, name)
	}
	for _, problem := range []string{
		(&metadata.CronTrigger{Webhook: own}).Problem(env),
		(&metadata.CronTrigger{Webhook: "http://h", Headers: header}).Problem(env),
		(&metadata.Action{Definition: metadata.ActionDefinition{Handler: own}}).Problem(env),
		(&metadata.Action{Definition: metadata.ActionDefinition{Handler: "http://h", Headers: header}}).Problem(env),
	} {
		require.Contains(t, problem, "not allowed in templates")
	}
}

func TestHeaderResolve(t *testing.T) {
	t.Parallel()
	template := "at {{HOST}}"
	value, err := (&metadata.Header{Name: "X", Value: &template}).Resolve(variables)
	require.NoError(t, err)
	require.Equal(t, "at http://h", value)
	value, err = (&metadata.Header{Name: "X", ValueFromEnv: "HOST"}).Resolve(variables)
	require.NoError(t, err)
	require.Equal(t, "http://h", value)
	_, err = (&metadata.Header{Name: "X", ValueFromEnv: "NONE"}).Resolve(variables)
	require.EqualError(t, err, "not-found at $: environment variable 'NONE' not set")
}

func TestParseValidateInput(t *testing.T) {
	t.Parallel()
	w, err := metadata.ParseValidateInput(nil)
	require.NoError(t, err)
	require.Nil(t, w)
	for raw, want := range map[string]string{
		`{"type":"http","definition":{"url":"{{HOST}}/x","timeout":3,"headers":[{"name":"A","value":"b"},{"name":"C","value_from_env":"D"}]}}`: "",
		`{"type":"grpc","definition":{"url":"x"}}`:                                                           `parse-failed at $.type: expecting only 'http' for 'type' but got grpc`,
		`{"definition":{"url":"x"}}`:                                                                         `parse-failed at $: key "type" not found`,
		`{"type":"http"}`:                                                                                    `parse-failed at $: key "definition" not found`,
		`{"type":"http","definition":{}}`:                                                                    `parse-failed at $.definition: key "url" not found`,
		`{"type":"http","definition":{"url":"x","timeout":-1}}`:                                              `parse-failed at $.definition.timeout: timeout value cannot be negative`,
		`{"type":"http","definition":{"url":"x","headers":{}}}`:                                              `parse-failed at $.definition.headers: parsing [] failed, expected Array, but encountered Object`,
		`{"type":"http","definition":{"url":"x","headers":[{}]}}`:                                            `parse-failed at $.definition.headers[0]: key "name" not found`,
		`{"type":"http","definition":{"url":"x","headers":[{"name":"A"}]}}`:                                  `parse-failed at $.definition.headers[0]: expecting value or value_from_env keys`,
		`{"type":"http","definition":{"url":"x","headers":[{"name":"A","value":"b","value_from_env":"C"}]}}`: `parse-failed at $.definition.headers[0]: expecting only one of value or value_from_env keys`,

		`{"type":"http","definition":{"url":"x","headers":[{"name":"A","value_from_env":"ENGINE_GRAPHQL_ADMIN_SECRET"}]}}`: `parse-failed at $.definition.headers[0]: env variables starting with "ENGINE_GRAPHQL_" are not allowed in value_from_env: ENGINE_GRAPHQL_ADMIN_SECRET`,
	} {
		w, err := metadata.ParseValidateInput([]byte(raw))
		if want == "" {
			require.NoError(t, err)
			require.Equal(t, "{{HOST}}/x", w.URL)
			require.Equal(t, 3, *w.Timeout)
			require.Equal(t, "D", w.Headers[1].ValueFromEnv)
			continue
		}
		require.EqualError(t, err, want)
	}
}
