package doctor_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend/postgres"
	"queryengine/pkg/catalog"
	"queryengine/pkg/doctor"
	"queryengine/pkg/metadata"
)

// patients are sources with these facts, and the default bounds of pools.
func patients(t *testing.T, tables string, facts ...*doctor.Facts) []*doctor.Patient {
	t.Helper()
	var list []*doctor.Patient
	for i, f := range facts {
		name := string(rune('a' + i))
		document, err := metadata.Parse([]byte(`{"version": 3, "sources": [{"name": "`+name+`", "kind": "postgres", "tables": [`+tables+`],
			"configuration": {"connection_info": {"database_url": "postgres://x"}}}]}`), metadata.Empty(), nil)
		require.NoError(t, err)
		list = append(list, &doctor.Patient{Source: document.Sources[0], Types: postgres.New(), Facts: f})
	}
	return list
}

func lines(findings []doctor.Finding) []string {
	var list []string
	for _, f := range findings {
		list = append(list, strings.TrimSpace(string(f.Severity)+" "+f.Code+" "+f.Source+" "+f.Object))
	}
	return list
}

// TestConnections: what counts is the sum of the pools of one server, which is reported once.
func TestConnections(t *testing.T) {
	t.Parallel()
	on := func(identity string, connections int) *doctor.Facts {
		return &doctor.Facts{Server: doctor.Server{Identity: identity, MaxConnections: connections}}
	}
	require.Empty(t, doctor.Check(patients(t, "", on("one", 100), on("one", 100), on("two", 97), on("unknown", 0), nil)))
	require.Equal(t, []string{"warning connections a"},
		lines(doctor.Check(patients(t, "", on("one", 99), on("one", 99), on("two", 50)))))
}

// TestServer: what concerns a whole database.
func TestServer(t *testing.T) {
	t.Parallel()
	facts := &doctor.Facts{
		Server: doctor.Server{Outdated: "PostgreSQL 9.6 is too old", Ahead: -6 * time.Second, Pooled: true},
		Tables: []*doctor.Table{{Table: catalog.Table{Kind: catalog.KindView, Name: catalog.Name{Schema: "public", Name: "v"}, Columns: []*catalog.Column{
			{Name: "c", Type: catalog.Type{Name: "my type", Schema: "public"}},
		}}, Usage: true, Select: true}},
	}
	require.Equal(t, []string{"error server-version a", "warning type-name a v.c", "info clock a", "info pooler a"},
		lines(doctor.Check(patients(t, `{"table": "v"}`, facts))))
	facts.Server = doctor.Server{Ahead: 4 * time.Second}
	require.Equal(t, []string{"warning type-name a v.c"}, lines(doctor.Check(patients(t, `{"table": "v"}`, facts))))
}

func TestWorst(t *testing.T) {
	t.Parallel()
	require.Empty(t, doctor.Worst(nil))
	require.Equal(t, doctor.Warning, doctor.Worst([]doctor.Finding{{Severity: doctor.Info}, {Severity: doctor.Warning}, {Severity: doctor.Info}}))
}

// TestApart: relationships of tables that a Citus can't join have no advice about indexes.
func TestApart(t *testing.T) {
	t.Parallel()
	table := func(name string, d *catalog.Distribution) *doctor.Table {
		id, tenant := &catalog.Column{Name: "id", Type: catalog.Type{Name: "int8"}}, &catalog.Column{Name: "tenant", Type: catalog.Type{Name: "int8"}}
		return &doctor.Table{Usage: true, Select: true, Table: catalog.Table{
			Kind: catalog.KindTable, Name: catalog.Name{Schema: "public", Name: name}, Columns: []*catalog.Column{id, tenant}, Distribution: d,
			PrimaryKey: &catalog.Constraint{Columns: []string{"id"}},
		}}
	}
	spread := func(column, colocation string) *catalog.Distribution {
		return &catalog.Distribution{Placement: catalog.Distributed, Column: column, Colocation: colocation}
	}
	facts := &doctor.Facts{Tables: []*doctor.Table{
		table("a", spread("tenant", "1")), table("b", spread("tenant", "1")), table("c", spread("tenant", "2")),
		table("r", &catalog.Distribution{Placement: catalog.Reference}),
	}}
	relation := func(name, to, columns string) string {
		return `{"name": "` + name + `", "using": {"manual_configuration": {"remote_table": "` + to + `", "column_mapping": ` + columns + `}}}`
	}
	same := `{"tenant": "tenant"}`
	found := doctor.Check(patients(t, `{"table": "a", "object_relationships": [`+relation("together", "b", same)+`, `+relation("across", "b", `{"id": "id"}`)+`, `+
		relation("far", "c", same)+`, `+relation("everywhere", "r", same)+`]}, {"table": "b"}, {"table": "c"},
		{"table": "r", "array_relationships": [`+relation("lists", "a", same)+`], "object_relationships": [`+relation("one", "a", same)+`]}`, facts))
	var texts []string
	for _, f := range found {
		if f.Code == "relationship-apart" {
			texts = append(texts, f.Object+": "+f.Message)
		}
	}
	require.ElementsMatch(t, []string{
		"a.across: Citus can't join the tables of the relationship: it doesn't compare their distribution columns, tenant and tenant",
		"a.far: Citus can't join the tables of the relationship: they aren't colocated",
		"r.lists: Citus can't join the tables of the relationship: it reads no lists of a distributed table for the rows of a reference table",
	}, texts)
}
