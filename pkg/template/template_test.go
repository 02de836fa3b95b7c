package template

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// scope is the environment of the tests.
func scope(t testing.TB) Environment {
	t.Helper()
	body, err := Decode([]byte(`{
		"input": {"tags": ["a", "b"], "who": null, "some key": 7},
		"n": 2, "half": 0.5, "big": 12345678901234567890, "text": "Straße", "yes": true, "empty": {}
	}`))
	require.NoError(t, err)
	return Environment{
		Lookup: func(name string) (any, bool) {
			switch name {
			case "$body", "$":
				return body, true
			case "x":
				return "outer", true
			}
			return nil, false
		},
		Functions: map[string]Function{
			"shout": func(v any) (any, error) {
				s, ok := v.(string)
				if !ok {
					return nil, errors.New("not a text")
				}
				return s + "!", nil
			},
		},
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		// JSON and what is added to it.
		`null`:                               `null`,
		` true # a comment`:                  `true`,
		"# first\n[1, 2 ,3]":                 `[1,2,3]`,
		`{"a": 1, "a": 2, "": {"b": []}}`:    `{"":{"b":[]},"a":1}`,
		`007`:                                `7`,
		`-0`:                                 `0`,
		`[1.50, 1e3, 1.0, -12.5e-1, 120E+2]`: `[1.5,1000,1,-1.25,12000]`,
		`[1e2000, 1e-30, 0.001]`:             `[1e2000,1e-30,0.001]`,
		`"\"\\\{\b\f\n\r\t\/\u00e9\uD83D"`:   `"\"\\{\u0008\u000c\n\r\t\\/é` + "\uFFFD" + `"`,
		"\"a { b\nc\"":                       `"a { b\nc"`,

		// Interpolation.
		`{"count": {{ size($body.input.tags) }}}`:                    `{"count":2}`,
		`"tags={{$body.input.tags}} n={{$body.n}}"`:                  `"tags=[\"a\",\"b\"] n=2"`,
		`"{{ null }}{{ true }}{{ {"a": 1.5 } }}{{ "x{{ "y" }}z" }}"`: `"nulltrue{\"a\":1.5}xyz"`,
		`"\{{ $body }}"`:        `"{{ $body }}"`,
		`{{ {{ $body.big }} }}`: `12345678901234567890`,
		`{{ range i, t := $body.input.tags }} {"i": {{i}}, "t": {{t}}} {{ end }}`:                         `[{"i":0,"t":"a"},{"i":1,"t":"b"}]`,
		`[{{ range _, x := [1, 2] }} {{ range y, x := [x] }} [x, y] {{ end }} {{ end }}, x]`:              `[[[[1,0]],[[2,0]]],"outer"]`,
		`{{ if ($body.n > 1) && ("a" in $body.input.tags) }} "yes" {{ else }} "no" {{ end }}`:             `"yes"`,
		`{{ if false }} $gone {{ elif $body.n == 2.0 }} "second" {{ else }} $gone.far {{ end }}`:          `"second"`,
		`{{ if false }} 1 {{ elif false }} 2 {{ else }} {{ if true }} 3 {{ else }} 4 {{ end }} {{ end }}`: `3`,

		// Access.
		`$.n`:                                `2`,
		`$body['input']["tags"][0]`:          `"a"`,
		`$body.input['some key']`:            `7`,
		`{"a": [1, {"b": 2}]}.a[1].b`:        `2`,
		`[5, 6][1.0]`:                        `6`,
		`$body.nothing?.x.y ?? false`:        `false`,
		`{{ $body.input.who ?? "unknown" }}`: `"unknown"`,
		`$missing?`:                          `null`,
		`$body.input.who?.a`:                 `null`,
		`$body?.input?.tags[5]`:              `null`,
		`$body?.input.tags["x"].y[0]`:        `null`,
		`$body?.n.x`:                         `null`,
		`$body?['input']["some key"]`:        `7`,
		`($body.input.who ?? null) ?? 3`:     `3`,

		// Operators.
		`not $body.n == 3`:             `true`,
		`{"a": [1]} == {"a": [1.0]}`:   `true`,
		`{"a": 1} != {"a": 1, "b": 1}`: `true`,
		`{} < []`:                      `true`,
		`[1, 2] < [1, 3]`:              `true`,
		`[1, 2] >= [1]`:                `true`,
		`["x"] < "a"`:                  `true`,
		`"z" < 1`:                      `true`,
		`1 < false`:                    `true`,
		`true < null`:                  `true`,
		`false < true`:                 `true`,
		`{"a": 2} > {"a": 1, "z": 0}`:  `true`,
		`10 > 9`:                       `true`,
		`-10 < -9`:                     `true`,
		`0.1e1 <= 1`:                   `true`,
		`123456789012345678901 > 123456789012345678900`: `true`,
		`"a" < "b"`:                    `true`,
		`"n" in $body`:                 `true`,
		`4 in [1, 2]`:                  `false`,
		`[1] in [[1]]`:                 `true`,
		`true || false`:                `true`,
		`$body.yes && (not $body.yes)`: `false`,

		// Functions.
		`[empty({}), empty([]), empty(" \n"), empty(0.0), empty(null), empty("a"), empty(1), empty([1])]`:      `[true,true,true,true,true,false,false,false]`,
		`[size({"a": 1}), size([1, 2]), size($body.text), size(2.5), size(true), size(false), size(null)]`:     `[1,2,6,2.5,1,0,0]`,
		`[inverse([1, 2]), inverse("äb"), inverse(4), inverse(-3), inverse(true), inverse({}), inverse(null)]`: `[[2,1],"bä",0.25,-0.3333333333333333,false,{},null]`,
		`inverse(1e400)`: `1e-400`,
		`[tail([]), tail(""), tail([1]), tail("ä")]`:                                           `[[],"",[],""]`,
		`[head([1, 2]), head("äb"), tail([1, 2]), tail("äb")]`:                                 `[1,"ä",[2],"b"]`,
		`[toCaseFold($body.text), toLower("ÄB"), toUpper($body.text), toTitle("hello wORLD")]`: `["strasse","äb","STRASSE","Hello World"]`,
		`escapeUri("a b/ä~")`:                       `"a%20b%2F%C3%A4~"`,
		`fromPairs([["a", 1], ["b", 2], ["a", 3]])`: `{"a":3,"b":2}`,
		`toPairs({"b": 1, "a": null})`:              `[["a",null],["b",1]]`,
		`removeNulls([1, null, [null]])`:            `[1,[null]]`,
		`[concat([]), concat([[1], [2, 3]]), concat(["a", "b"]), concat([{"a": 1}, {"a": 2, "b": 3}])]`: `[[],[1,2,3],"ab",{"a":2,"b":3}]`,
		`not(false)`:       `true`,
		`(size([1])) == 1`: `true`,
		`shout("hi")`:      `"hi!"`,
	} {
		t.Run(source, func(t *testing.T) {
			t.Parallel()
			parsed, err := Parse(source)
			require.NoError(t, err)
			got, err := parsed.Render(scope(t))
			require.NoError(t, err)
			require.Equal(t, want, string(got))
		})
	}
}

func TestInterpolationOnly(t *testing.T) {
	t.Parallel()
	parsed, err := ParseInterpolation(`https://{{ $body.input.tags[0] }}.example/{{$body.n}}?q=\"`)
	require.NoError(t, err)
	v, err := parsed.Evaluate(scope(t))
	require.NoError(t, err)
	require.Equal(t, `https://a.example/2?q="`, v)

	_, err = ParseInterpolation("{{ $body. }}")
	requireError(t, err, ParseError, "Unexpected token '}}'.", 0, 14, 0, 15)
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]struct {
		code, message  string
		l1, c1, l2, c2 int
	}{
		`a ~ b`:                     {LexError, `Invalid Lexeme: 'a ~ b'`, 0, 3, 0, 8},
		"\n ä":                      {LexError, "Invalid Lexeme: '\n ä'", 1, 2, 1, 6},
		`"a\x"`:                     {LexError, `Invalid Lexeme: '"a\x"'`, 0, 3, 0, 8},
		`"\u12"`:                    {LexError, `Invalid Lexeme: '"\u12"'`, 0, 2, 0, 8},
		`a['b{c']`:                  {LexError, `Invalid Lexeme: 'a['b{c']'`, 0, 5, 0, 13},
		`a & b`:                     {LexError, `Invalid Lexeme: 'a & b'`, 0, 3, 0, 8},
		`] "a" ~`:                   {LexError, `Invalid Lexeme: '] "a" ~'`, 0, 7, 0, 14},
		``:                          {ParseError, `ParseError: Empty token stream.`, 0, 1, 0, 1},
		" \n # only":                {ParseError, `ParseError: Empty token stream.`, 0, 1, 0, 1},
		`[1,`:                       {ParseError, `ParseError: Empty token stream.`, 0, 3, 0, 4},
		`"abc`:                      {ParseError, `ParseError: Empty token stream.`, 0, 2, 0, 5},
		`{{ if true }} 1 {{ end }}`: {ParseError, `Unexpected token 'end'.`, 0, 24, 0, 26},
		`$body.hello }}`:            {ParseError, `Unexpected token '}'.`, 0, 14, 0, 15},
		`a == b && c`:               {ParseError, `Unexpected token '&&'.`, 0, 11, 0, 12},
		`a ?? b ?? c`:               {ParseError, `Unexpected token '??'.`, 0, 11, 0, 12},
		`size(x) > 3`:               {ParseError, `Unexpected token '>'.`, 0, 11, 0, 12},
		`[1,]`:                      {ParseError, `Unexpected token ']'.`, 0, 4, 0, 5},
		`{a: 1}`:                    {ParseError, `Unexpected token 'a'.`, 0, 6, 0, 7},
		`{"a{{b}}": 1}`:             {ParseError, `Unexpected token '{{'.`, 0, 13, 0, 14},
		`a['']`:                     {ParseError, `Unexpected token '''.`, 0, 5, 0, 6},
		`a.end`:                     {ParseError, `Unexpected token 'end'.`, 0, 3, 0, 6},
		`1 -2`:                      {ParseError, `Unexpected token '-2'.`, 0, 3, 0, 5},
		`_foo`:                      {ParseError, `Unexpected token '_'.`, 0, 2, 0, 5},
		`"a" "b"`:                   {ParseError, `Unexpected token '"'.`, 0, 7, 0, 8},
		`a == {{ b }}`:              {ParseError, `Unexpected token 'b'.`, 0, 11, 0, 13},

		`$nothing`:                            {NameError, `Variable '$nothing' not in scope`, 0, 1, 0, 9},
		` length([1])`:                        {NameError, `Variable 'length' not in scope`, 0, 2, 0, 13},
		`[$body.x.y]`:                         {AttributeError, `'Object' has no attritubte 'x'.`, 0, 2, 0, 9},
		`$body["x"]`:                          {AttributeError, `'Object' has no attritubte 'x'.`, 0, 1, 0, 11},
		`$body.input.tags[2]`:                 {IndexError, `Can only range over an array`, 0, 1, 0, 20},
		`[1][-1]`:                             {IndexError, `Can only range over an array`, 0, 1, 0, 8},
		`[1][1e99]`:                           {IndexError, `Can only range over an array`, 0, 1, 0, 10},
		`[1][0.5]`:                            {TypeError, `Couldn't match expected type 'Integer' with actual type 'Number'`, 0, 1, 0, 9},
		`[1].a`:                               {TypeError, `Couldn't match expected type 'Integer' with actual type 'String'`, 0, 1, 0, 6},
		`$body[0]`:                            {TypeError, `Couldn't match expected type 'String' with actual type 'Number'`, 0, 1, 0, 9},
		`$body.n.x`:                           {TypeError, `Couldn't match expected type 'Object' with actual type 'Number'`, 0, 1, 0, 8},
		`$body.n?.x`:                          {TypeError, `Couldn't match expected type 'Object' with actual type 'Number'`, 0, 1, 0, 8},
		`{{ if 1 }} 1 {{ else }} 2 {{ end }}`: {TypeError, `Couldn't match expected type 'Boolean' with actual type 'Number'`, 0, 1, 0, 36},
		`{{ range _, i := {} }} 1 {{ end }}`:  {TypeError, `Couldn't match expected type 'Array' with actual type 'Object'`, 0, 1, 0, 35},
		`true && 1`:                           {TypeError, `Couldn't match expected type 'Boolean' with actual type 'Number'`, 0, 1, 0, 10},
		`null || true`:                        {TypeError, `Couldn't match expected type 'Boolean' with actual type 'Null'`, 0, 1, 0, 13},
		`false && $nothing`:                   {NameError, `Variable '$nothing' not in scope`, 0, 10, 0, 18},
		`1 in $body`:                          {TypeError, `Couldn't match expected type 'String' with actual type 'Number'`, 0, 1, 0, 11},
		`1 in "a"`:                            {TypeError, `Couldn't match expected type 'Array' with actual type 'String'`, 0, 1, 0, 9},
		"[\n  \"{{\nsize(q) }}\"]":            {NameError, `Variable 'q' not in scope`, 2, 6, 2, 7},

		`empty(true)`:          {FunctionError, `Cannot define emptiness for a boolean`, 0, 7, 0, 11},
		`inverse(0)`:           {FunctionError, `Cannot divide by zero`, 0, 9, 0, 10},
		`head([])`:             {FunctionError, `Empty array`, 0, 6, 0, 8},
		`head("")`:             {FunctionError, `Empty string`, 0, 6, 0, 8},
		`tail(null)`:           {FunctionError, `Expected an array or string`, 0, 6, 0, 10},
		`head(1)`:              {FunctionError, `Expected an array or string`, 0, 6, 0, 7},
		`toUpper(null)`:        {FunctionError, `parsing String failed, expected String, but encountered Null`, 0, 9, 0, 13},
		`escapeUri(1)`:         {FunctionError, `parsing String failed, expected String, but encountered Number`, 0, 11, 0, 12},
		`fromPairs({})`:        {FunctionError, `parsing Nested Arrays failed, expected Array, but encountered Object`, 0, 11, 0, 13},
		`fromPairs([1])`:       {FunctionError, `parsing Array of Pair failed, expected Array, but encountered Number`, 0, 11, 0, 14},
		`fromPairs([[1, 2]])`:  {FunctionError, `Expected an array of shape [ [k1,v1], [k2,v2] ... ] - With String keys.`, 0, 11, 0, 19},
		`toPairs([])`:          {FunctionError, `parsing Object failed, expected Object, but encountered Array`, 0, 9, 0, 11},
		`removeNulls(1)`:       {FunctionError, `parsing Array failed, expected Array, but encountered Number`, 0, 13, 0, 14},
		`concat("a")`:          {FunctionError, `parsing Array failed, expected Array, but encountered String`, 0, 8, 0, 11},
		`concat([["a"], "b"])`: {FunctionError, `parsing Nested Object failed, expected Object, but encountered Array`, 0, 8, 0, 20},
		`not 1`:                {FunctionError, `parsing Bool failed, expected Boolean, but encountered Number`, 0, 5, 0, 6},
		`shout(1)`:             {FunctionError, `not a text`, 0, 7, 0, 8},
	} {
		t.Run(source, func(t *testing.T) {
			t.Parallel()
			parsed, err := Parse(source)
			if err == nil {
				_, err = parsed.Render(scope(t))
			}
			requireError(t, err, want.code, want.message, want.l1, want.c1, want.l2, want.c2)
		})
	}
}

func requireError(t *testing.T, err error, code, message string, l1, c1, l2, c2 int) {
	t.Helper()
	var e *Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, Error{Code: code, Message: message, Position: Span{l1, c1, l2, c2}}, *e)
}

func TestErrorOnTheWire(t *testing.T) {
	t.Parallel()
	parsed, err := Parse(`{{ if $body.n }} 1 {{ else }} 2 {{ end }}`)
	require.NoError(t, err)
	_, err = parsed.Evaluate(scope(t))
	text, encodeError := json.Marshal(err)
	require.NoError(t, encodeError)
	require.JSONEq(t, `{"error_code":"Type Error",
		"message":"Couldn't match expected type 'Boolean' with actual type 'Number'",
		"source_position":{"start_line":0,"start_column":1,"end_line":0,"end_column":42}}`, string(text))
}

func TestLimits(t *testing.T) {
	t.Parallel()
	nest := func(around, inner string, times int) string {
		return strings.Repeat(around, times) + inner
	}
	double := func(body string) string { return `{{ range _, x := [` + body + `] }} ` }
	for name, source := range map[string]string{
		"deep lists":       nest("[", "1"+strings.Repeat("]", 100_000), 100_000),
		"deep parentheses": nest("(", "1"+strings.Repeat(")", 100_000), 100_000),
		"deep strings":     nest(`"{{`, "1", 100_000),
		"deep indexes":     nest("a[", "1", 100_000),
		"long chain":       "a" + strings.Repeat(".b", 100_000),
		"many not":         nest("not ", "true", 100_000),
		// Shared values double with every level: 2^60 when they are written or compared.
		"output":     nest(double("[x, x]"), "x "+strings.Repeat("{{ end }}", 60), 60),
		"text":       nest(double(`"{{x}}{{x}}{{x}}{{x}}"`), "size(x) "+strings.Repeat("{{ end }}", 60), 60),
		"concat":     nest(double(`concat([x, x])`), "size(x) "+strings.Repeat("{{ end }}", 60), 60),
		"comparison": nest(double("[x, x]"), "x == x "+strings.Repeat("{{ end }}", 60), 60),
		"steps": nest("{{ range _, y := [1,2,3,4,5,6,7,8,9,10] }} ", "y "+
			strings.Repeat("{{ end }}", 12), 12),
		"forgiven": `{{ (` + nest("{{ range _, y := [1,2,3,4,5,6,7,8,9,10] }} ", "y "+
			strings.Repeat("{{ end }}", 12), 12) + `)? }}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			parsed, err := Parse(source)
			if err == nil {
				_, err = parsed.Render(scope(t))
			}
			var e *Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, FunctionError, e.Code)
			require.Regexp(t, "nested too deeply|larger than|more than", e.Message)
		})
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		"0": "0", "-0.0": "0", "0e99": "0", "10": "10", "-1.10": "-1.1", "1.5e1": "15", "12e-1": "1.2",
		"1e-3": "0.001", "100.0": "100", "1e99999999999999999999": "1e1152921504606846976",
		"9007199254740993": "9007199254740993", "0.1e-20": "1e-21", "1.25e1100": "1.25e1100",
	} {
		require.Equal(t, want, string(canonical(written)), written)
	}
	for _, pair := range [][2]string{{"-1", "0"}, {"0.9", "1"}, {"9", "10"}, {"1e-400", "1e-399"}, {"-1e9999999999", "1"}, {"1", "1e9999999999999999999"}} {
		require.Equal(t, -1, compareNumbers(pair[0], pair[1]), pair)
		require.Equal(t, 1, compareNumbers(pair[1], pair[0]), pair)
	}
	for _, n := range []string{"1", "3", "-7", "1e10", "0.3", "12345678.9"} {
		f, err := strconv.ParseFloat(n, 64)
		require.NoError(t, err)
		r, ok := reciprocal(json.Number(n))
		require.True(t, ok)
		got, err := r.Float64()
		require.NoError(t, err)
		require.InEpsilon(t, 1/f, got, 1e-15, n)
	}
}

func TestDecode(t *testing.T) {
	t.Parallel()
	v, err := Decode([]byte(` {"a": [1.0, "<é>", null]} `))
	require.NoError(t, err)
	require.Equal(t, `{"a":[1,"<é>",null]}`, string(Encode(v)))
	for _, broken := range []string{``, `{`, `1 2`, `nope`} {
		_, err := Decode([]byte(broken))
		require.Error(t, err, broken)
	}
}
