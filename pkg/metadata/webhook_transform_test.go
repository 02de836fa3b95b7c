package metadata_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/metadata"
)

func testTransform(args string) (json.RawMessage, error) {
	e := &metadata.Envelope{Type: "test_webhook_transform", Version: 1, Args: json.RawMessage(args)}
	o, err := metadata.NewRegistry(backends()).Operation(metadata.APIMetadata, e)
	if err != nil {
		return nil, err
	}
	return o.Args.(metadata.Query).Answer(metadata.View{})
}

func TestTestWebhookTransform(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ args, want string }{
		"unchanged": {
			`{"webhook_url":"http://localhost:1234","body":{"hello":"world"},"request_transform":{}}`,
			`{"webhook_url":"http://localhost:1234/","method":"GET","headers":[],"body":{"hello":"world"}}`,
		},
		"everything": {
			`{"webhook_url":{"from_env":"HOOK"},"env":{"HOOK":"http://hook","V":"v"},"body":{"hello":"world"},
			  "request_headers":[["X-Old","1"],["X-Env","is {{V}}"]],"session_variables":{"x-engine-role":"clerk"},
			  "request_transform":{"version":2,"template_engine":"Kriti","method":"PUT","url":"{{$base_url}}/{{$session_variables['x-engine-role']}}",
			    "query_params":{"foo":"bar"},"request_headers":{"add_headers":{"foo":"bar","content-type":"application/json"},"remove_headers":["x-old"]},
			    "body":{"action":"transform","template":"\"hello_{{ $body.hello }}\""}}}`,
			`{"webhook_url":"http://hook/clerk?foo=bar","method":"PUT","headers":[["x-env","is v"],["content-type","application/json"],["foo","bar"]],"body":"hello_world"}`,
		},
		"form": {
			`{"webhook_url":"http://{{H}}","env":{"H":"h"},"body":{"a":"b"},
			  "request_transform":{"version":2,"body":{"action":"x_www_form_urlencoded","form_template":{"foo":"bar","baz":"{{$body.a}}"}}}}`,
			`{"webhook_url":"http://h/","method":"GET","headers":[],"body":"baz=b&foo=bar"}`,
		},
		"method and answer": {
			`{"webhook_url":"http://h","body":{"n":2},"method":"POST","request_transform":{},"session_variables":{"x-engine-role":"clerk"},
			  "response":{"body":{"ok":true}},
			  "response_transform":{"version":2,"body":{"action":"transform","template":"[{{$body.ok}}, {{$response.status}}, {{$request.body.body.n}}, {{$session_variables['x-engine-role']}}]"}}}`,
			`{"webhook_url":"http://h/","method":"POST","headers":[],"body":{"n":2},"response_body":[true,200,2,"clerk"]}`,
		},
		"answer without a request transform": {
			`{"webhook_url":"http://h/","body":1,"request_transform":null,"response":{"status":201,"body":7},
			  "response_transform":{"body":"[{{$request}}, {{$response.status}}]"}}`,
			`{"webhook_url":"http://h/","method":"GET","headers":[],"body":1,"response_body":[null,201]}`,
		},
		"answer without a transform": {
			`{"webhook_url":"http://h/","body":1,"request_transform":{},"response":{"body":"text"}}`,
			`{"webhook_url":"http://h/","method":"GET","headers":[],"body":1,"response_body":"text"}`,
		},
		"removed": {
			`{"webhook_url":"http://h","body":1,"request_transform":{"version":2,"body":{"action":"remove"}}}`,
			`{"webhook_url":"http://h/","method":"GET","headers":[],"body":""}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := testTransform(c.args)
			require.NoError(t, err)
			require.JSONEq(t, c.want, string(got))
		})
	}
}

func TestTestWebhookTransformErrors(t *testing.T) {
	t.Parallel()
	missing := "Missing Env Var: V. For security reasons when testing request options real environment variable values " +
		"are not available. Please enter a mock value for V in the Sample Env Variables list."
	for name, c := range map[string]struct {
		args     string
		code     apierror.Code
		path     string
		message  string
		internal string
	}{
		"no body":            {`{"webhook_url":"http://h","request_transform":{}}`, apierror.ParseFailed, "$.args", `key "body" not found`, ""},
		"shape":              {`{"webhook_url":"http://h","body":1,"request_transform":{"version":7}}`, apierror.ParseFailed, "$.args.request_transform.version", `expected 1 or 2, encountered 7`, ""},
		"header":             {`{"webhook_url":"http://h","body":1,"request_transform":{},"request_headers":[["a"]]}`, apierror.ParseFailed, "$.args.request_headers[0]", `cannot unpack array of length 1 into a tuple of length 2`, ""},
		"from_env":           {`{"webhook_url":{"from_env":"V"},"body":1,"request_transform":{}}`, apierror.NotFound, "$", "Missing Env Var", ""},
		"variable":           {`{"webhook_url":"http://{{V}}","body":1,"request_transform":{}}`, apierror.NotFound, "$", missing, ""},
		"variable of header": {`{"webhook_url":"http://h","body":1,"request_transform":{},"request_headers":[["a","{{V}}"]]}`, apierror.NotFound, "$", missing, ""},
		"open braces":        {`{"webhook_url":"http://h/{{V","body":1,"request_transform":{}}`, apierror.ParseFailed, "$", "Invalid Url Template", ""},
		"no address": {
			`{"webhook_url":"nowhere","body":1,"request_transform":{}}`, apierror.ValidationFailed, "$", "request transform validation failed",
			`[{"error_code":"Request Initialization Error","message":"parse \"nowhere\": invalid URI for request"}]`,
		},
		"evaluation": {
			`{"webhook_url":"http://h","body":1,"request_transform":{"body":"$gone"}}`, apierror.ValidationFailed, "$", "request transform validation failed",
			`[{"error_code":"Name Error","message":"Variable '$gone' not in scope","source_position":{"start_line":0,"start_column":1,"end_line":0,"end_column":6}}]`,
		},
		"paths": {
			`{"webhook_url":"http://h","body":{},"show_paths":true,"request_transform":{"version":2,"url":"{{$body.gone}}","query_params":{"a b":"{{$none}}"},
			  "request_headers":{"add_headers":{"x":"{{$none}}"}},"body":{"action":"x_www_form_urlencoded","form_template":{"f":"{{$none}}"}}},
			  "response":{"body":1},"response_transform":{"version":2,"body":{"action":"transform","template":"$body.x"}}}`,
			apierror.ValidationFailed, "$", "request transform validation failed",
			`[{"path":"request_transform.url","error_code":"Attribute Error","message":"'Object' has no attritubte 'gone'.","source_position":{"start_line":0,"start_column":4,"end_line":0,"end_column":14}},
			  {"path":"request_transform.body.form_template.f","error_code":"Name Error","message":"Variable '$none' not in scope","source_position":{"start_line":0,"start_column":4,"end_line":0,"end_column":9}},
			  {"path":"request_transform.query_params[\"a b\"]","error_code":"Name Error","message":"Variable '$none' not in scope","source_position":{"start_line":0,"start_column":4,"end_line":0,"end_column":9}},
			  {"path":"request_transform.request_headers.add_headers.x","error_code":"Name Error","message":"Variable '$none' not in scope","source_position":{"start_line":0,"start_column":4,"end_line":0,"end_column":9}},
			  {"path":"response_transform.body.template","error_code":"Type Error","message":"Couldn't match expected type 'Object' with actual type 'Number'","source_position":{"start_line":0,"start_column":1,"end_line":0,"end_column":6}}]`,
		},
		"paths of syntax": {
			`{"webhook_url":"http://h","body":1,"show_paths":true,"request_transform":{"url":"http://h/{{"},"response_transform":{"version":2,"body":{"action":"transform","template":""}}}`,
			apierror.ValidationFailed, "$.args", "request transform validation failed",
			`[{"path":"request_transform.url","error_code":"Parse Error","message":"ParseError: Empty token stream.","source_position":{"start_line":0,"start_column":13,"end_line":0,"end_column":14}},
			  {"path":"response_transform.body.template","error_code":"Parse Error","message":"ParseError: Empty token stream.","source_position":{"start_line":0,"start_column":1,"end_line":0,"end_column":1}}]`,
		},
		"path of an answer": {
			`{"webhook_url":"http://h","body":1,"show_paths":true,"request_transform":{},"response":{"body":1},"response_transform":{"body":"$gone"}}`,
			apierror.ValidationFailed, "$", "response transform validation failed",
			`[{"path":"response_transform.body","error_code":"Name Error","message":"Variable '$gone' not in scope","source_position":{"start_line":0,"start_column":1,"end_line":0,"end_column":6}}]`,
		},
		"answer without a body": {
			`{"webhook_url":"http://h","body":1,"request_transform":{},"response":{"status":200}}`, apierror.ParseFailed, "$.args.response", `key "body" not found`, "",
		},
		"template": {
			`{"webhook_url":"http://h","body":1,"request_transform":{"version":2,"body":{"action":"transform","template":"$body.hello }}"}}}`,
			apierror.ValidationFailed, "$.args", "request transform validation failed",
			`[{"error_code":"Parse Error","message":"Unexpected token '}'.","source_position":{"start_line":0,"start_column":14,"end_line":0,"end_column":15}}]`,
		},
		"response template": {
			`{"webhook_url":"http://h","body":1,"request_transform":{},"response_transform":{"body":""}}`,
			apierror.ValidationFailed, "$.args", "response transform validation failed",
			`[{"error_code":"Parse Error","message":"ParseError: Empty token stream.","source_position":{"start_line":0,"start_column":1,"end_line":0,"end_column":1}}]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := testTransform(c.args)
			e := apierror.From(err)
			require.NotNil(t, e)
			require.Equal(t, []any{c.code, c.path, c.message}, []any{e.Code, e.Path, e.Message})
			if c.internal == "" {
				require.Nil(t, e.Internal)
				return
			}
			require.JSONEq(t, c.internal, string(e.InternalJSON()))
		})
	}
}
