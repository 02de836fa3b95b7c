package snapshot

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
)

var at = time.Date(2015, 1, 2, 3, 4, 5, 0, time.UTC)

func tableName(i int) catalog.Name {
	return catalog.Name{Schema: "public", Name: fmt.Sprintf("t%04d", i)}
}

func table(i int, comment string) *metadata.Table {
	return &metadata.Table{
		Table: tableName(i),
		ObjectRelationships: []*metadata.Relationship{{
			Name: "parent", Using: metadata.RelationshipUsing{Columns: []string{"parent_id"}}, Comment: &comment,
		}},
		SelectPermissions: []*metadata.Permission[metadata.SelectPermission]{{
			Role:       "clerk",
			Permission: metadata.Definition[metadata.SelectPermission]{Rules: []metadata.SelectPermission{{Columns: metadata.Columns{All: true}, Filter: json.RawMessage(`{"id":{"_eq":"X-Engine-User-Id"}}`)}}},
		}},
	}
}

func catalogTable(i int, column string) *catalog.Table {
	return &catalog.Table{
		Name: tableName(i), ID: strconv.Itoa(i), Kind: catalog.KindTable, RowEstimate: -1,
		Columns: []*catalog.Column{{Name: column, ID: "1", Type: catalog.Type{Name: "int4", ID: "23"}}},
	}
}

// initial is a snapshot of n tracked tables.
func initial(n int) *Snapshot {
	source := &metadata.Source{Name: "default", Kind: "postgres", Configuration: json.RawMessage(
		`{"connection_info":{"database_url":"postgres://x","isolation_level":"read-committed"}}`,
	)}
	c := &catalog.Source{
		Version: 150018, Extensions: map[string]string{"citext": "1.6"},
		Tables:    map[catalog.Name]*catalog.Table{},
		Functions: map[catalog.Name][]*catalog.Function{},
		Enums:     map[catalog.Name][]catalog.EnumValue{},
	}
	for i := range n {
		source.Tables = append(source.Tables, table(i, "first"))
		c.Tables[tableName(i)] = catalogTable(i, "id")
	}
	return &Snapshot{
		StreamID: "stream", Version: 1,
		Document: &metadata.Document{Version: 3, Sources: []*metadata.Source{source}},
		Catalogs: map[string]*catalog.Source{"default": c},
	}
}

// mutate returns the next version of s with something changed.
func mutate(r *rand.Rand, s *Snapshot) *Snapshot {
	next := *s
	next.Version++
	doc := *s.Document
	next.Document = &doc
	i := r.IntN(12)
	text := fmt.Sprintf("v%d", next.Version)
	switch r.IntN(9) {
	case 0, 1:
		source := *doc.Sources[0]
		if k := slices.IndexFunc(source.Tables, func(t *metadata.Table) bool { return t.Table == tableName(i) }); k >= 0 {
			source.Tables = slices.Delete(slices.Clone(source.Tables), k, k+1)
		} else {
			source.Tables = append(slices.Clone(source.Tables), table(i, text))
			slices.SortFunc(source.Tables, func(a, b *metadata.Table) int { return catalog.Name.Compare(a.Table, b.Table) })
		}
		doc.Sources = slices.Concat([]*metadata.Source{&source}, doc.Sources[1:])
	case 2:
		source := *doc.Sources[0]
		source.Customization = &metadata.Customization{NamingConvention: text}
		doc.Sources = slices.Concat([]*metadata.Source{&source}, doc.Sources[1:])
	case 3:
		doc.InheritedRoles = []*metadata.InheritedRole{{Name: text, Set: []string{"a", "b"}}}
		doc.QueryCollections = []*metadata.QueryCollection{{Name: text}, {Name: "w"}}
		doc.Allowlist = []*metadata.AllowlistEntry{{Collection: text, Scope: metadata.AllowlistScope{Roles: []string{"a"}}}}
		doc.RESTEndpoints = []*metadata.RESTEndpoint{{Name: "w", URL: "a"}, {Name: text, URL: "b"}}
	case 4:
		doc.Actions = []json.RawMessage{json.RawMessage(`{"name":"` + text + `"}`), json.RawMessage(`{"name":"w"}`)}
		doc.APILimits = json.RawMessage(`{"disabled":true}`)
	case 5:
		if len(doc.Sources) > 1 {
			doc.Sources = doc.Sources[:1]
			next.Catalogs = maps.Clone(s.Catalogs)
			delete(next.Catalogs, "other")
		} else {
			doc.Sources = append(slices.Clone(doc.Sources), &metadata.Source{
				Name: "other", Kind: "postgres", Configuration: json.RawMessage(`{}`), Tables: []*metadata.Table{table(i, text)},
				Functions: []*metadata.Function{{Function: catalog.Name{Schema: "public", Name: "f"}}},
			})
			next.Catalogs = maps.Clone(s.Catalogs)
			next.Catalogs["other"] = &catalog.Source{
				Version: 1, Tables: map[catalog.Name]*catalog.Table{},
				Functions: map[catalog.Name][]*catalog.Function{},
				Enums:     map[catalog.Name][]catalog.EnumValue{tableName(1): {{Value: text}}},
			}
		}
	case 6, 7:
		c := *s.Catalogs["default"]
		c.Tables = maps.Clone(c.Tables)
		c.Tables[tableName(i)] = catalogTable(i, text)
		delete(c.Tables, tableName(r.IntN(12)))
		c.Functions = map[catalog.Name][]*catalog.Function{{Schema: "public", Name: "f"}: {{Name: catalog.Name{Schema: "public", Name: "f"}, ID: strconv.FormatInt(next.Version, 10)}}}
		next.Catalogs = maps.Clone(s.Catalogs)
		next.Catalogs["default"] = &c
	case 8:
		next.SourceErrors = map[string]string{"default": text}
		next.Inconsistent = []metadata.Inconsistency{{Name: text, Reason: "r", Type: "table", Definition: map[string]any{"a": 1}}, {Reason: "c", Objects: []metadata.InconsistentObject{{Name: text}}}}
	}
	return &next
}
