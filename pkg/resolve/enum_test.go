package resolve_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/catalog"
)

func TestEnumTables(t *testing.T) {
	t.Parallel()
	s := schema(t)
	genre := table(s, "genre")
	require.Equal(t, []catalog.EnumValue{{Value: "jazz", Comment: "improvised"}, {Value: "rock"}}, genre.EnumValues)
	enum := table(s, "album").Column("genre").Enum
	require.Equal(t, public("genre"), enum.Table)
	require.Equal(t, "genre", enum.Name)
	require.Equal(t, genre.EnumValues, enum.EnumValues)
	require.Nil(t, table(s, "album").Column("title").Enum)

	plain := build(document(t, tracked(albumTable), `{"table":"genre"}`), shop())
	require.Nil(t, table(plain, "album").Column("genre").Enum)
}

func TestEnumProblems(t *testing.T) {
	t.Parallel()
	values := func(list ...string) []catalog.EnumValue {
		var out []catalog.EnumValue
		for _, v := range list {
			out = append(out, catalog.EnumValue{Value: v})
		}
		return out
	}
	const refused = `the table "genre" cannot be used as an enum `
	for _, c := range []struct {
		columns string
		keys    []string
		values  []catalog.EnumValue
		want    string
	}{
		{"value text!", nil, values("a"), refused + `because the table must have a primary key`},
		{"value text!, kind text!", []string{"value", "kind"}, values("a"), refused + `because the table’s primary key must not span multiple columns ("value", "kind")`},
		{"value int4!", []string{"value"}, values("1"), refused + `because the table’s primary key ("value") must have type "text", not type "integer"`},
		{"value text!, a text, b text", []string{"value"}, values("a"), refused + `because the table must have exactly one primary key and optionally one comment column, not 3 columns ("value", "a", "b")`},
		{"value text!, note text[]", []string{"value"}, values("a"), refused + `because the table’s comment column ("note") must have type "text", not type "text[]"`},
		{"value text!", []string{"value"}, nil, refused + `because the table must have at least one row`},
		{"value text!", []string{"value"}, values("ok", "hard rock"), refused + `because the value "hard rock" is not a valid GraphQL enum value name`},
		{"value text!", []string{"value"}, values("true", "null", "8"), refused + `because the values "true", "null", and "8" are not valid GraphQL enum value names`},
		{"value text!", []string{"value"}, values("false", ""), refused + `because the values "false", and "" are not valid GraphQL enum value names`},
		{"value int4!, note int4", []string{"value"}, values("1"), refused + "for the following reasons:\n" +
			`  • the table’s primary key ("value") must have type "text", not type "integer"` + "\n" +
			`  • the table’s comment column ("note") must have type "text", not type "integer"` + "\n"},
	} {
		db := shop()
		genre := catalogTable("genre", c.columns)
		genre.PrimaryKey = nil
		if c.keys != nil {
			genre.PrimaryKey = &catalog.Constraint{Name: "genre_pkey", Columns: c.keys}
		}
		db.Tables[genre.Name] = genre
		db.Enums[genre.Name] = c.values
		s := build(document(t, tracked(albumTable[:len(`{"table":"album"`)]), tracked(genreTable)), db)
		require.Equal(t, []string{c.want}, problems(s))
		require.Nil(t, table(s, "genre"))
		require.Nil(t, table(s, "album").Column("genre").Enum)
	}
}

func TestColumnOfTwoEnums(t *testing.T) {
	t.Parallel()
	db := shop()
	style := catalogTable("archive.style", "value text!")
	db.Tables[style.Name] = style
	db.Enums[style.Name] = []catalog.EnumValue{{Value: "bebop"}}
	references(db.Tables[public("album")], "genre", "archive.style", "value")
	s := build(document(t, `{"table":"album"}`, tracked(genreTable), `{"table":{"schema":"archive","name":"style"},"is_enum":true}`), db)
	require.Equal(t, []string{`column "genre" in table "album" references multiple enum tables ("genre", "archive.style")`}, problems(s))
}
