package template

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzTemplate holds that any text gives a value that is valid JSON or an error with a
// position, and that both are the same when it is done again.
func FuzzTemplate(f *testing.F) {
	for _, seed := range []string{
		`{"a": {{ $body.n }}}`, `"x{{ $body }}y"`, `{{ range i, x := [1] }} x {{ end }}`,
		`{{ if true }} 1 {{ elif 2 }} 3 {{ else }} 4 {{ end }}`, `a?.b[0]['c'] ?? null`,
		`not size("\u00e9\{") >= -1.5e3`, `concat([[1], []])`, `"`, `{{`, `'`, `[1, # c`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		first, err := render(source, scope(t))
		second, again := render(source, scope(t))
		require.Equal(t, err, again)
		if err != nil {
			var e *Error
			require.ErrorAs(t, err, &e)
			require.NotEmpty(t, e.Message)
			require.Positive(t, e.Position.StartColumn)
			require.GreaterOrEqual(t, e.Position.EndLine, e.Position.StartLine)
			return
		}
		require.True(t, json.Valid(first), "%q", first)
		require.Equal(t, first, second)
	})
}

// FuzzJSON holds that a JSON text is a template of itself.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{`{"a":[1.5,-2e3,null,true,"b"]}`, `"plain"`, `-0`, `[[]]`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		v, err := Decode([]byte(source))
		if err != nil {
			return
		}
		text := Encode(v)
		again, err := Decode(text)
		require.NoError(t, err)
		require.Equal(t, text, Encode(again), "encoding is canonical")
		order, fault := (&machine{}).compare(v, again, Span{})
		if fault == nil {
			require.Zero(t, order)
		}
	})
}

func render(source string, e Environment) ([]byte, error) {
	parsed, err := Parse(source)
	if err != nil {
		return nil, err
	}
	text, err := parsed.Render(e)
	var fault *Error
	if err != nil && !errors.As(err, &fault) {
		return nil, errors.New("not an *Error: " + err.Error())
	}
	return text, err
}
