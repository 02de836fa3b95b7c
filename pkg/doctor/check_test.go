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
