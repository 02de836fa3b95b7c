package sqlite

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/catalog"
)

// converted is a value in words, or the message of its error.
func converted(t *testing.T, as sqltext.As, text string) string {
	t.Helper()
	v, err := converter(as)([]byte(text))
	var e *apierror.Error
	if errors.As(err, &e) {
		require.Equal(t, apierror.DataException, e.Code)
		return "error: " + e.Message
	}
	require.NoError(t, err)
	switch v.class {
	case classInteger:
		return fmt.Sprint("integer ", v.integer)
	case classReal:
		return fmt.Sprint("real ", v.real)
	case classBlob:
		return fmt.Sprintf("blob %x", v.text)
	case classText:
		return "text " + string(v.text)
	case classNull:
	}
	return "null"
}

func TestConvert(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{"int4", " 7 ", "integer 7"},
		{"int4", "7 OR 1=1", `error: invalid input syntax for type integer: "7 OR 1=1"`},
		{"int4", "2147483648", `error: value "2147483648" is out of range for type integer`},
		{"int8", "9223372036854775807", "integer 9223372036854775807"},
		{"numeric", "9007199254740993", "integer 9007199254740993"},
		{"numeric", "0.5", "real 0.5"},
		{"numeric", "NaN", `error: invalid input syntax for type numeric: "NaN"`},
		{"numeric", "0x10", `error: invalid input syntax for type numeric: "0x10"`},
		{"float8", "Infinity", "real +Inf"},
		{"float8", "1e999", `error: value "1e999" is out of range for type real`},
		{"bool", "T", "integer 1"},
		{"bool", "off", "integer 0"},
		{"bool", "o", `error: invalid input syntax for type boolean: "o"`},
		{"bool", "", `error: invalid input syntax for type boolean: ""`},
		{"text", "x'; --", "text x'; --"},
		{"text", "a\x00b", "error: a text can't hold the character U+0000"},
		{"date", "2015-02-28", "text 2015-02-28"},
		{"date", "2015-02-30", `error: invalid input syntax for type date: "2015-02-30"`},
		{"date", "2015-02-28T10:00:00Z", "text 2015-02-28"},
		{"timestamp", "2015-02-28T10:00:00.1234567+02:00", "text 2015-02-28 10:00:00.123457"},
		{"timestamptz", "2015-02-28 10:00:00+02", "text 2015-02-28 08:00:00"},
		{"timestamptz", "2015-02-28 10:00:00.50 +02:00", "text 2015-02-28 08:00:00.5"},
		{"timestamptz", "2015-02-28", "text 2015-02-28 00:00:00"},
		{"time", "07:05", "text 07:05:00"},
		{"uuid", "{3F333DF690A44FDA8DD39485D27CEE36}", "text 3f333df6-90a4-4fda-8dd3-9485d27cee36"},
		{"jsonb", ` {"a" : [1, null]} `, `text {"a":[1,null]}`},
		{"jsonb", "{", `error: invalid input syntax for type json: "{"`},
		{"bytea", `\x00ff`, "blob 00ff"},
		{"bytea", "text", `error: invalid input syntax for type bytea: "text"`},
	} {
		require.Equal(t, c[2], converted(t, sqltext.As{Type: catalog.Type{Name: c[0]}}, c[1]), "%s %q", c[0], c[1])
	}
}

func TestConvertList(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{"int4", `["1",null,2]`, "text [1,null,2]"},
		{"int4", "{1, 2,NULL}", "text [1,2,null]"}, // a session variable
		{"int4", "{}", "text []"},
		{"int4", "[]", "text []"},
		{"int4", "{x}", `error: invalid input syntax for type integer: "x"`},
		{"int4", "{1,}", `error: malformed array literal: "{1,}"`},
		{"int4", "{1", `error: malformed array literal: "{1"`},
		{"int4", "{{1}}", `error: malformed array literal: "{{1}}"`},
		{"int4", "1", `error: malformed array literal: "1"`},
		{"text", `{a, "b, \"c\"" ,null,"null"}`, `text ["a","b, \"c\"",null,"null"]`},
		{"text", `["x\"y"]`, `text ["x\"y"]`},
		{"bytea", `["\\x00ff"]`, `text ["00ff"]`},
		{"float8", `["-Infinity","1"]`, "text [-9e999,1e+00]"},
	} {
		require.Equal(t, c[2], converted(t, sqltext.As{Type: catalog.Type{Name: c[0]}, List: true}, c[1]), "%s %q", c[0], c[1])
	}
}

func TestParseList(t *testing.T) {
	t.Parallel()
	in, err := New().ParseList(typeInteger, json.RawMessage(` [1, null, "2"] `))
	require.NoError(t, err)
	require.Equal(t, `["1",null,"2"]`, in.Text)
	in, err = New().ParseList(typeJSON, json.RawMessage(`[{"a": 1}, "x"]`))
	require.NoError(t, err)
	require.Equal(t, `["{\"a\":1}","\"x\""]`, in.Text)
	_, err = New().ParseList(typeInteger, json.RawMessage(`[1, true]`))
	require.Equal(t, "$[1]", apierror.From(err).Path)
}
