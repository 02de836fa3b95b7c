package metadata

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/catalog"
)

func requireError(t *testing.T, err error, code apierror.Code, path, message string) {
	t.Helper()
	require.Error(t, err)
	e := apierror.From(err)
	require.Equal(t, [3]string{string(code), path, message}, [3]string{string(e.Code), e.Path, e.Message})
}

func TestDecodeSaysWhatIsWrongAndWhere(t *testing.T) {
	t.Parallel()
	type item struct {
		Name  string `json:"name" meta:"required,nonempty"`
		Count *int   `json:"count"`
	}
	type args struct {
		Source string          `json:"source" meta:"default=default"`
		Items  []item          `json:"items"`
		Flag   bool            `json:"flag" meta:"default=true"`
		Map    map[string]item `json:"map"`
	}
	for _, c := range []struct{ in, path, message string }{
		{`[]`, "$", "parsing Object failed, expected Object, but encountered Array"},
		{`{"source":1}`, "$.source", "parsing Text failed, expected String, but encountered Number"},
		{`{"items":{}}`, "$.items", "parsing [] failed, expected Array, but encountered Object"},
		{`{"items":[{"name":"a"},{}]}`, "$.items[1]", `key "name" not found`},
		{`{"items":[{"name":""}]}`, "$.items[0].name", "empty string not allowed"},
		{`{"items":[{"name":null}]}`, "$.items[0].name", "parsing Text failed, expected String, but encountered Null"},
		{`{"items":[{"name":"a","count":"1"}]}`, "$.items[0].count", "parsing Int failed, expected Number, but encountered String"},
		{
			`{"items":[{"name":"a","count":1.5}]}`, "$.items[0].count",
			"parsing Int failed, value is either floating or will cause over or underflow 1.5",
		},
		{`{"flag":"yes"}`, "$.flag", "parsing Bool failed, expected Boolean, but encountered String"},
		{`{"map":{"my-key":{}}}`, `$.map["my-key"]`, `key "name" not found`},
	} {
		requireError(t, decode(json.RawMessage(c.in), &args{}), apierror.ParseFailed, c.path, c.message)
	}
}

func TestDecodeFillsDefaults(t *testing.T) {
	t.Parallel()
	var args struct {
		Source string          `json:"source" meta:"default=default"`
		Flag   bool            `json:"flag" meta:"default=true"`
		Count  *int            `json:"count"`
		Any    json.RawMessage `json:"any"`
		Old    string          `json:"new" meta:"alias=old"`
	}
	require.NoError(t, decode(json.RawMessage(`{"source":null,"count":null,"any":{"a": 1},"old":"x","unknown":1}`), &args))
	require.Equal(t, "default", args.Source)
	require.True(t, args.Flag)
	require.Nil(t, args.Count)
	require.Equal(t, `{"a":1}`, string(args.Any))
	require.Equal(t, "x", args.Old)
}

func TestUsingHasOneFormPerMeaning(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"foreign_key_constraint_on":"a"}`:                                                `{"foreign_key_constraint_on":"a"}`,
		`{"foreign_key_constraint_on":["a"]}`:                                              `{"foreign_key_constraint_on":"a"}`,
		`{"foreign_key_constraint_on":["a","b"]}`:                                          `{"foreign_key_constraint_on":["a","b"]}`,
		`{"foreign_key_constraint_on":{"table":"t","column":"c"}}`:                         `{"foreign_key_constraint_on":{"column":"c","table":{"name":"t"}}}`,
		`{"foreign_key_constraint_on":{"table":"t","columns":"c"}}`:                        `{"foreign_key_constraint_on":{"column":"c","table":{"name":"t"}}}`,
		`{"foreign_key_constraint_on":{"table":"t","columns":["c"]}}`:                      `{"foreign_key_constraint_on":{"column":"c","table":{"name":"t"}}}`,
		`{"manual_configuration":{"remote_table":"t","column_mapping":{"b":"c","a":"d"}}}`: `{"manual_configuration":{"column_mapping":{"a":"d","b":"c"},"insertion_order":null,"remote_table":{"name":"t"}}}`,
	} {
		var u RelationshipUsing
		require.NoError(t, decode(json.RawMessage(in), &u), in)
		got, err := Encode(u)
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
}

func TestUsingErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, path, message string }{
		{`"x"`, "$", "using should be an object"},
		{`{}`, "$", "atleast one of foreign_key_constraint_on/manual_configuration should be present"},
		{
			`{"foreign_key_constraint_on":"a","manual_configuration":{}}`, "$",
			"only one of foreign_key_constraint_on/manual_configuration should be present",
		},
		{`{"foreign_key_constraint_on":{"table":"t"}}`, "$.foreign_key_constraint_on", "expected exactly one of 'column' or 'columns'"},
		{`{"manual_configuration":{"remote_table":"t"}}`, "$.manual_configuration", `key "column_mapping" not found`},
	} {
		requireError(t, decode(json.RawMessage(c.in), &RelationshipUsing{}), apierror.ParseFailed, c.path, c.message)
	}
	requireError(t, decode(json.RawMessage(`{"table":"t","name":"n","using":{"foreign_key_constraint_on":"a"}}`),
		&CreateArrayRelationship{}), apierror.ParseFailed, "$.using.foreign_key_constraint_on", "Expecting object { table, columns }.")
}

func TestOldFormsAreOnlyNames(t *testing.T) {
	t.Parallel()
	for _, in := range []string{`"stock"`, `{"name":"stock"}`, `{"table":"stock"}`} {
		var a TrackTable
		require.NoError(t, decode(json.RawMessage(in), &a), in)
		require.Equal(t, catalog.Name{Name: "stock"}, a.Table)
		require.Equal(t, "default", a.Source)
	}
	requireError(t, decode(json.RawMessage(`{"source":"x"}`), &TrackTable{}), apierror.ParseFailed, "$", `key "table" not found`)
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"version":3,"sources":[{"name":"a","tables":[{"table":"t"}],"configuration":{"connection_info":{"database_url":"x"}}}]}`))
	f.Add([]byte(`{"version":2,"tables":[],"functions":[{"function":"f"}]}`))
	current := Empty().withSource(&Source{Name: DefaultSource, Tables: []*Table{}, Configuration: json.RawMessage(`{"connection_info":{"database_url":"x"}}`)})
	f.Fuzz(func(t *testing.T, in []byte) {
		if !json.Valid(in) {
			return
		}
		doc, err := Parse(in, current, nil)
		if err != nil {
			require.NotEmpty(t, apierror.From(err).Message)
			return
		}
		first, err := Encode(doc)
		require.NoError(t, err)
		again, err := Parse(first, current, nil)
		require.NoError(t, err)
		second, err := Encode(again)
		require.NoError(t, err)
		require.Equal(t, string(first), string(second))
	})
}
