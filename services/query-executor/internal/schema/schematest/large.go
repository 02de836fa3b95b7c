// Package schematest makes schemas for tests and measurements, without a database.
package schematest

import (
	"fmt"
	"os"
	"strconv"

	"queryengine/pkg/backend/kind"
	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
)

// Large is a source of n tables with twelve columns each, every one related to the next.
func Large(n int) *resolve.Schema {
	source := &metadata.Source{Name: "default", Kind: "postgres"}
	found := &catalog.Source{Tables: map[catalog.Name]*catalog.Table{}}
	for i := range n {
		name, next := tableName(i), tableName((i+1)%n)
		table := &catalog.Table{
			Name: name, Kind: catalog.KindTable, Insertable: true, Updatable: true, Deletable: true,
			PrimaryKey: &catalog.Constraint{Name: name.Name + "_pkey", Columns: []string{"id"}},
			ForeignKeys: []catalog.ForeignKey{
				{Name: name.Name + "_next", Target: next, Columns: []string{"next_id"}, TargetColumns: []string{"id"}},
			},
		}
		for j, column := range []string{"id", "next_id", "title", "note", "price", "count", "active", "born", "seen_at", "data", "tags", "code"} {
			t := []catalog.Type{
				{Name: "int4", ID: "23"},
				{Name: "int4", ID: "23"},
				{Name: "text", ID: "25"},
				{Name: "text", ID: "25"},
				{Name: "numeric", ID: "1700"},
				{Name: "int8", ID: "20"},
				{Name: "bool", ID: "16"},
				{Name: "date", ID: "1082"},
				{Name: "timestamptz", ID: "1184"},
				{Name: "jsonb", ID: "3802"},
				{Name: "text", ID: "25", Dims: 1},
				{Name: "uuid", ID: "2950"},
			}[j]
			table.Columns = append(table.Columns, &catalog.Column{Name: column, ID: strconv.Itoa(j + 1), Type: t, Nullable: j > 0})
		}
		found.Tables[name] = table
		source.Tables = append(source.Tables, &metadata.Table{
			Table:               name,
			ObjectRelationships: []*metadata.Relationship{{Name: "next", Using: metadata.RelationshipUsing{Columns: []string{"next_id"}}}},
			ArrayRelationships: []*metadata.Relationship{{Name: "previous", Using: metadata.RelationshipUsing{
				Remote: &metadata.RemoteForeignKey{Table: tableName((i + n - 1) % n), Columns: []string{"next_id"}},
			}}},
		})
	}
	doc := &metadata.Document{Version: 3, Sources: []*metadata.Source{source}}
	return resolve.Build(doc, map[string]*catalog.Source{"default": found}, nil, nil, resolve.Options{
		Kinds: kind.All(os.LookupEnv, "test"),
	})
}

func tableName(i int) catalog.Name {
	return catalog.Name{Schema: "public", Name: fmt.Sprintf("table_%04d", i)}
}
