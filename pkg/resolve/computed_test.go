package resolve_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

func TestComputedFields(t *testing.T) {
	t.Parallel()
	c := shop()
	comment := "what the label says"
	c.Functions[public("album_since")][0].Comment = &comment
	c.Functions[public("album_since")][0].Defaults = 1
	s := build(document(t, tracked(albumTable), tracked(trackTable)), c)
	album := table(s, "album")

	label := album.ComputedField("label")
	require.Equal(t, "String", label.Scalar.Name)
	require.Equal(t, text, label.Type)
	require.Empty(t, label.Args)
	require.Equal(t, `A computed field, executes function "album_label"`, label.Description)

	since := album.ComputedField("since")
	require.Len(t, since.Args, 1)
	require.Equal(t, "since", since.Args[0].Field)
	require.Equal(t, "date", since.Args[0].Scalar.Name)
	require.True(t, since.Args[0].Optional)
	require.Equal(t, comment, since.Description)

	personal := album.ComputedField("personal")
	require.Equal(t, 1, personal.RowArg)
	require.Equal(t, 0, personal.SessionArg)
	require.Empty(t, personal.Args)
	require.Equal(t, []ir.CallArg{{Value: ir.SessionObject{Type: catalog.Type{Name: "json"}}}, {Row: true}}, personal.CallArgs())

	songs := album.ComputedField("songs")
	require.Same(t, table(s, "track"), songs.Returns)
	require.Nil(t, album.ComputedField("nothing"))
}

func TestComputedFieldProblems(t *testing.T) {
	t.Parallel()
	volatile := function("f", "text", rowArg("a", "album"))
	volatile.Volatility = catalog.Volatile
	mood := function("f", "mood", rowArg("a", "album"))
	mood.Return.Kind = catalog.TypeEnum
	set := function("f", "mood", rowArg("a", "album"))
	set.ReturnsSet, set.Return.Kind = true, catalog.TypeEnum
	const refused = `in table "album": in computed field "c": the computed field "c" cannot be added to table "album" `
	for _, c := range []struct {
		name, more string
		functions  []*catalog.Function
		want       string
	}{
		{"c", "", nil, `in table "album": in computed field "c": no such function exists: "f"`},
		{"c", "", []*catalog.Function{volatile, mood}, `in table "album": in computed field "c": function "f" is overloaded. Overloaded functions are not supported`},
		{"c", "", []*catalog.Function{volatile}, refused + `because the function "f" is of type VOLATILE; cannot be added as a computed field`},
		{"c", "", []*catalog.Function{function("f", "text")}, refused + `because the function "f" has no input arguments`},
		{"c", "", []*catalog.Function{mood}, refused + `because the function "f" returning type mood is not a BASE type`},
		{"c", "", []*catalog.Function{set}, refused + `because the function "f" returning type mood is not a BASE type`},
		{"c", "", []*catalog.Function{function("f", "setof staff", rowArg("a", "album"))}, refused + `because the function "f" returning set of table "staff" is not tracked or not found in database`},
		{"c", "", []*catalog.Function{function("f", "text", arg("a", "int4"))}, refused + `because first argument of the function "f" is not COMPOSITE type`},
		{"c", `,"table_argument":"b"`, []*catalog.Function{function("f", "text", arg("b", "int4"))}, refused + `because "b" argument of the function "f" is not COMPOSITE type`},
		{"c", "", []*catalog.Function{function("f", "text", rowArg("a", "archive.album"))}, refused + `because first argument of the function "f" of type "archive.album" is not the table to which the computed field is being added`},
		{"c", `,"table_argument":"b"`, []*catalog.Function{function("f", "text", rowArg("b", "track"))}, refused + `because "b" argument of the function "f" of type "track" is not the table to which the computed field is being added`},
		{"c", `,"table_argument":"b"`, []*catalog.Function{function("f", "text", rowArg("a", "album"))}, refused + `because "b" is not an input argument of the function "f"`},
		{"c", `,"session_argument":"s"`, []*catalog.Function{function("f", "text", rowArg("a", "album"))}, refused + `because "s" is not an input argument of the function "f"`},
		{"c", `,"session_argument":"s"`, []*catalog.Function{function("f", "text", rowArg("a", "album"), arg("s", "text"))}, refused + `because "s" argument of the function "f" is not of type JSON`},
		{"a-b", "", []*catalog.Function{function("f", "text", rowArg("a", "album"))}, `in table "album": in computed field "a-b": the computed field "a-b" cannot be added to table "album" because "a-b" is not valid GraphQL name`},
		{"c", `,"session_argument":"s"`, []*catalog.Function{function("f", "mood", arg("a", "int4"))}, refused + "for the following reasons:\n" +
			`  • first argument of the function "f" is not COMPOSITE type` + "\n" + `  • "s" is not an input argument of the function "f"` + "\n"},
	} {
		db := shop()
		db.Functions[public("f")] = c.functions
		s := build(document(t, `{"table":"album","computed_fields":[{"name":"`+c.name+`","definition":{"function":"f"`+c.more+`}}]}`), db)
		require.Equal(t, []string{c.want}, problems(s))
		require.Nil(t, table(s, "album").ComputedField(c.name))
	}
}
