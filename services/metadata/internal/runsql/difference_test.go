package runsql

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
)

// stock is a table in a catalog.
func stock(edit func(t *catalog.Table)) *catalog.Source {
	t := &catalog.Table{
		Name: catalog.Name{Name: "stock"}, ID: "7",
		Columns: []*catalog.Column{
			{Name: "id", ID: "1", Type: catalog.Type{Name: "int"}},
			{Name: "label", ID: "2", Type: catalog.Type{Name: "text"}},
			{Name: "kind", ID: "3", Type: catalog.Type{Name: "int"}},
		},
		Uniques:     []catalog.Constraint{{Name: "stock_label", ID: "8", Columns: []string{"label"}}},
		ForeignKeys: []catalog.ForeignKey{{Name: "stock_kind", ID: "9", Columns: []string{"kind"}, Target: catalog.Name{Name: "kind"}}},
	}
	edit(t)
	return &catalog.Source{Tables: map[catalog.Name]*catalog.Table{t.Name: t}}
}

// withoutIDs is the table of a database that has no IDs.
func withoutIDs(edit func(t *catalog.Table)) *catalog.Source {
	return stock(func(t *catalog.Table) {
		t.ID, t.Uniques[0].ID, t.ForeignKeys[0].ID = "", "", ""
		for _, c := range t.Columns {
			c.ID = ""
		}
		edit(t)
	})
}

func TestObjectsAreTheSameByTheirIDsElseByTheirNames(t *testing.T) {
	t.Parallel()
	tracked := &metadata.Source{Name: "s", Tables: []*metadata.Table{{Table: catalog.Name{Name: "stock"}}}}
	nothing := func(*catalog.Table) {}
	rename := func(t *catalog.Table) { t.Columns[1].Name, t.Uniques[0].Columns = "text", []string{"text"} }
	object := func(kind, name string) metadata.ObjectID {
		return metadata.ObjectID{Kind: kind, Source: "s", Table: catalog.Name{Name: "stock"}, Name: name}
	}
	for name, c := range map[string]struct {
		before, after *catalog.Source
		dropped       []metadata.ObjectID
		renamed       map[string]string
	}{
		"nothing, with IDs":     {stock(nothing), stock(nothing), nil, nil},
		"nothing, without IDs":  {withoutIDs(nothing), withoutIDs(nothing), nil, nil},
		"IDs became known":      {withoutIDs(nothing), stock(nothing), nil, nil},
		"a column with an ID":   {stock(nothing), stock(rename), nil, map[string]string{"label": "text"}},
		"a table with an ID":    {stock(nothing), stock(func(t *catalog.Table) { t.Name.Name = "goods" }), nil, nil},
		"a table that came new": {stock(nothing), stock(func(t *catalog.Table) { t.ID = "70" }), nil, nil},
		"a column by its name": {withoutIDs(nothing), withoutIDs(rename), []metadata.ObjectID{
			object(metadata.ObjectColumn, "label"), object(metadata.ObjectConstraint, "stock_label"),
		}, nil},
		"columns that moved up": {
			withoutIDs(nothing), withoutIDs(func(t *catalog.Table) { t.Columns = t.Columns[1:] }),
			[]metadata.ObjectID{object(metadata.ObjectColumn, "id")},
			nil,
		},
		"keys without IDs": {
			withoutIDs(nothing), withoutIDs(func(t *catalog.Table) { t.Uniques, t.ForeignKeys = nil, nil }),
			[]metadata.ObjectID{object(metadata.ObjectConstraint, "stock_kind"), object(metadata.ObjectConstraint, "stock_label")},
			nil,
		},
		"a table by its name": {
			withoutIDs(nothing), withoutIDs(func(t *catalog.Table) { t.Name.Name = "goods" }),
			[]metadata.ObjectID{object(metadata.ObjectTable, "")},
			nil,
		},
	} {
		d := compare(tracked, c.before, c.after)
		require.Equal(t, c.dropped, d.dropped, name)
		require.Equal(t, c.renamed, d.renames.Columns[catalog.Name{Name: "stock"}], name)
		require.Equal(t, name == "a table with an ID", len(d.renames.Tables) == 1, name)
	}
}

func TestFunctionsAreTheSameByTheirIDsElseByTheirArguments(t *testing.T) {
	t.Parallel()
	f := func(id, arg string) *catalog.Function {
		return &catalog.Function{Name: catalog.Name{Name: "f"}, ID: id, Args: []catalog.Argument{{Name: "a", Type: catalog.Type{Name: arg}}}}
	}
	require.True(t, f("1", "int").Is(f("1", "text")))
	require.False(t, f("1", "int").Is(f("2", "int")))
	require.True(t, f("", "int").Is(f("2", "int")))
	require.False(t, f("", "int").Is(f("", "text")))
}
