package transform

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
)

func call() Call {
	return Call{
		Method:  "POST",
		URL:     "https://hook.example/path?a=1&b",
		Headers: []Header{{"Content-Type", "application/json"}, {"X-Old", "1"}, {"x-old", "2"}},
		Body:    []byte(`{"hello":"wörld","n":1.0,"none":null}`),
	}
}

var variables = map[string]string{"x-engine-role": "clerk", "x-engine-user-id": "12"}

func TestRequest(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		definition string
		change     func(*Call)
	}{
		"nothing": {`{}`, func(*Call) {}},
		"method":  {`{"method":"PATCH"}`, func(c *Call) { c.Method = "PATCH" }},
		"null":    {`{"method":null,"url":null,"body":null,"query_params":null,"request_headers":null}`, func(*Call) {}},
		"url": {
			`{"version":1,"template_engine":"Kriti","url":"{{$base_url}}&to={{escapeUri($body.hello)}}"}`,
			func(c *Call) { c.URL += "&to=w%C3%B6rld" },
		},
		"query of the url stays": {`{"url":"http://b?x=y"}`, func(c *Call) { c.URL = "http://b?x=y" }},
		"query": {
			`{"query_params":{"k {{$body.n}}":"{{$body.hello}}","alone":null,"left":"{{$body.none}}","{{$body.none}}":"x","e":""}}`,
			func(c *Call) { c.URL = "https://hook.example/path?alone&e=&k%201=w%C3%B6rld" },
		},
		"query of a new url": {
			`{"url":"http://b?gone=1","query_params":{"foo":"bar"}}`, func(c *Call) { c.URL = "http://b?foo=bar" },
		},
		"empty query": {`{"query_params":{}}`, func(c *Call) { c.URL = "https://hook.example/path" }},
		"query text": {
			`{"query_params":"x={{$body.n}}&y=a+b&z"}`, func(c *Call) { c.URL = "https://hook.example/path?x=1&y=a%20b&z" },
		},
		"query in scope": {
			`{"body":"{{$query_params}}"}`, func(c *Call) { c.Body = []byte(`[["a","1"],["b",null]]`) },
		},
		"body of version 1": {
			`{"body":"{\"v\": {{$body.n}}, \"role\": {{$session_variables['x-engine-role']}}}"}`,
			func(c *Call) { c.Body = []byte(`{"role":"clerk","v":1}`) },
		},
		"body of version 2": {
			`{"version":2,"body":{"action":"transform","template":"{{getSessionVariable(\"X-Engine-User-Id\")}}"}}`,
			func(c *Call) { c.Body = []byte(`"12"`) },
		},
		"body removed": {`{"version":2,"body":{"action":"remove"}}`, func(c *Call) { c.Body = nil }},
		"form": {
			`{"version":2,"body":{"action":"x_www_form_urlencoded","form_template":{"foo":"b r","baz":"{{$body.hello}}","left":"{{$body.none}}"}}}`,
			func(c *Call) { c.Body = []byte("baz=w%C3%B6rld&foo=b%20r") },
		},
		"headers": {
			`{"request_headers":{"remove_headers":["x-OLD","absent"],"add_headers":{"X-Old":"{{$body.n}}","content-type":"text/plain"}}}`,
			func(c *Call) {
				c.Headers = []Header{{"Content-Type", "application/json"}, {"X-Old", "1"}, {"content-type", "text/plain"}}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := CompileRequest(json.RawMessage(c.definition))
			require.NoError(t, err)
			before, want := call(), call()
			c.change(&want)
			got, err := r.Apply(before, variables)
			require.NoError(t, err)
			require.Equal(t, want, got)
			require.Equal(t, call(), before, "the original is unchanged")
		})
	}
}

func TestAddressWithoutPath(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"http://hook.example:1234":   "http://hook.example:1234/",
		"https://hook.example?a=%2B": "https://hook.example/?a=%2B",
		"http://hook.example/p":      "http://hook.example/p",
		"nats://events.orders":       "nats://events.orders",
	} {
		r, err := CompileRequest(json.RawMessage(`{"method":"PUT"}`))
		require.NoError(t, err)
		got, err := r.Apply(Call{URL: address}, variables)
		require.NoError(t, err)
		require.Equal(t, want, got.URL)
	}
}

func TestNoTransform(t *testing.T) {
	t.Parallel()
	for _, definition := range []string{"", "null"} {
		r, err := CompileRequest(json.RawMessage(definition))
		require.NoError(t, err)
		got, err := r.Apply(call(), nil)
		require.NoError(t, err)
		require.Equal(t, call(), got)
		response, err := CompileResponse(json.RawMessage(definition))
		require.NoError(t, err)
		body, err := response.Apply(Answer{Body: []byte("not JSON")})
		require.NoError(t, err)
		require.Equal(t, "not JSON", string(body))
	}
}

// TestFailures holds that one request reports the failures of all its parts.
func TestFailures(t *testing.T) {
	t.Parallel()
	r, err := CompileRequest(json.RawMessage(`{
		"url":"{{$body.hello}}", "body":"{{$gone}}",
		"query_params":{"k":"{{$body.n.x}}"},
		"request_headers":{"add_headers":{"h":"{{getSessionVariable(\"x-engine-none\")}}","i":"{{getSessionVariable(\"role\")}}","j":"{{getSessionVariable(1)}}"}}}`))
	require.NoError(t, err)
	_, err = r.Apply(call(), variables)
	text, encodeError := json.Marshal(err)
	require.NoError(t, encodeError)
	at := func(from, to int) string {
		return strings.NewReplacer("F", jsonOf(from), "T", jsonOf(to)).
			Replace(`"source_position":{"start_line":0,"start_column":F,"end_line":0,"end_column":T}`)
	}
	require.JSONEq(t, `[
		{"error_code":"TransformationError","message":"Invalid URL: wörld"},
		{"error_code":"Name Error","message":"Variable '$gone' not in scope",`+at(3, 8)+`},
		{"error_code":"Type Error","message":"Couldn't match expected type 'Object' with actual type 'Number'",`+at(4, 11)+`},
		{"error_code":"Function Error","message":"Session variable \"x-engine-none\" not found",`+at(23, 38)+`},
		{"error_code":"Function Error","message":"Session variable \"role\" not found",`+at(23, 29)+`},
		{"error_code":"Function Error","message":"Session variable name should be a string",`+at(23, 24)+`}
	]`, string(text))
}

func jsonOf(v int) string {
	text, _ := json.Marshal(v) // a number
	return string(text)
}

func TestWithoutSession(t *testing.T) {
	t.Parallel()
	r, err := CompileRequest(json.RawMessage(`{"body":"[{{$session_variables}}, getSessionVariable(null)]"}`))
	require.NoError(t, err)
	got, err := r.Apply(call(), nil)
	require.NoError(t, err)
	require.Equal(t, "[null,null]", string(got.Body))
}

func TestInvalidDefinitions(t *testing.T) {
	t.Parallel()
	for definition, want := range map[string]string{
		`[]`:                          `parse-failed at $: parsing Object failed, expected Object, but encountered Array`,
		`{"version":3}`:               `parse-failed at $.version: expected 1 or 2, encountered 3`,
		`{"version":"2"}`:             `parse-failed at $.version: parsing Int failed, expected Number, but encountered String`,
		`{"template_engine":"Other"}`: `parse-failed at $.template_engine: expected Kriti, encountered Other`,
		`{"method":1}`:                `parse-failed at $.method: parsing Text failed, expected String, but encountered Number`,
		`{"url":{}}`:                  `parse-failed at $.url: parsing Text failed, expected String, but encountered Object`,
		`{"body":{}}`:                 `parse-failed at $.body: parsing Text failed, expected String, but encountered Object`,
		`{"query_params":[]}`:         `parse-failed at $.query_params: parsing Object failed, expected Object, but encountered Array`,
		`{"query_params":{"a":true}}`: `parse-failed at $.query_params.a: parsing Text failed, expected String, but encountered Boolean`,
		`{"request_headers":{"add_headers":{"a":1}}}`:             `parse-failed at $.request_headers.add_headers.a: parsing Text failed, expected String, but encountered Number`,
		`{"request_headers":{"remove_headers":{}}}`:               `parse-failed at $.request_headers.remove_headers: parsing [] failed, expected Array, but encountered Object`,
		`{"request_headers":{"remove_headers":["a",null]}}`:       `parse-failed at $.request_headers.remove_headers[1]: parsing Text failed, expected String, but encountered Null`,
		`{"version":2,"body":"x"}`:                                `parse-failed at $.body: parsing Object failed, expected Object, but encountered String`,
		`{"version":2,"body":{}}`:                                 `parse-failed at $.body: key "action" not found`,
		`{"version":2,"body":{"action":"explode"}}`:               `parse-failed at $.body.action: invalid transform action`,
		`{"version":2,"body":{"action":"transform"}}`:             `parse-failed at $.body: key "template" not found`,
		`{"version":2,"body":{"action":"x_www_form_urlencoded"}}`: `parse-failed at $.body: key "form_template" not found`,
		`{"url":"{{","body":""}`:                                  `validation-failed at $: request transform validation failed`,
	} {
		_, err := CompileRequest(json.RawMessage(definition))
		require.EqualError(t, err, want, definition)
	}
	_, err := CompileResponse(json.RawMessage(`{"version":2,"body":{"action":"x_www_form_urlencoded","form_template":{"a":"{{","b":"}}\""}}}`))
	var e *apierror.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, "response transform validation failed", e.Message)
	require.JSONEq(t, `[
		{"error_code":"Parse Error","message":"ParseError: Empty token stream.","source_position":{"start_line":0,"start_column":4,"end_line":0,"end_column":5}},
		{"error_code":"Parse Error","message":"Unexpected token '\"'.","source_position":{"start_line":0,"start_column":5,"end_line":0,"end_column":6}}
	]`, string(e.InternalJSON()))
}

func TestResponse(t *testing.T) {
	t.Parallel()
	original := call()
	for name, c := range map[string]struct {
		definition string
		answer     Answer
		want       string
	}{
		"unchanged": {`{"version":2}`, Answer{Body: []byte(`[1]`)}, `[1]`},
		"template": {
			`{"body":"{\"status\": {{$response.status}}, \"first\": {{$body[0]}}, \"role\": {{$session_variables?['x-engine-role']}}}"}`,
			Answer{Status: 201, Body: []byte(`["x"]`), Session: variables},
			`{"first":"x","role":"clerk","status":201}`,
		},
		"not JSON": {`{"body":"[{{$body}}, {{$request}}]"}`, Answer{Body: []byte(`oops`)}, `[null,null]`},
		"request": {
			`{"body":"[{{$request.body.body.hello}}, {{$request.url.base_url}}, {{$request.method.query_params}}, {{$request.query_params.session_variables}}, {{$request?.request_headers.body.n}}]"}`,
			Answer{Request: &original},
			`["wörld","https://hook.example/path?a=1&b",[["a","1"],["b",null]],null,1]`,
		},
		"removed": {`{"version":2,"body":{"action":"remove"}}`, Answer{Body: []byte(`[1]`)}, `null`},
		"form": {
			`{"version":2,"body":{"action":"x_www_form_urlencoded","form_template":{"a b":"{{$body}}"}}}`,
			Answer{Body: []byte(`"ü"`)},
			`"a%20b=%C3%BC"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := CompileResponse(json.RawMessage(c.definition))
			require.NoError(t, err)
			got, err := r.Apply(c.answer)
			require.NoError(t, err)
			require.Equal(t, c.want, string(got))
		})
	}
	r, err := CompileResponse(json.RawMessage(`{"body":"$body.x"}`))
	require.NoError(t, err)
	_, err = r.Apply(Answer{Body: []byte(`{}`)})
	require.EqualError(t, err, "Attribute Error at line 1, column 1: 'Object' has no attritubte 'x'.")
}

func BenchmarkRequest(b *testing.B) {
	r, err := CompileRequest(json.RawMessage(`{
		"version":2, "url":"{{$base_url}}", "query_params":{"n":"{{$body.n}}"},
		"body":{"action":"transform","template":"{\"greeting\": {{$body.hello}}}"},
		"request_headers":{"add_headers":{"X-N":"{{$body.n}}"},"remove_headers":["x-old"]}}`))
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		_, err := r.Apply(call(), variables)
		require.NoError(b, err)
	}
}
