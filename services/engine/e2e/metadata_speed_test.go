package e2e

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var speed = flag.Bool("metadata-speed", false, "measure changes of metadata on large schemas")

// TestMetadataSpeed prints how long changes of metadata take on large schemas, in services
// of their own, while queries go on.
func TestMetadataSpeed(t *testing.T) {
	if !*speed {
		t.Skip("it takes minutes: make bench-metadata")
	}
	m := &measurement{t: t, c: newCluster(t)}
	for _, name := range []string{metadata, executor, eventDelivery, scheduler, gateway} {
		m.processes = append(m.processes, m.c.start(name))
	}
	m.gateway = m.processes[len(m.processes)-1]
	for _, s := range []schemaSize{
		{name: "2,000 tables", tables: 2000, tracked: 2000, columns: 8, roles: 1},
		{name: "1,000 tables, 5 roles", tables: 1000, tracked: 1000, columns: 8, roles: 5},
		{name: "250 of 1,800 tables, 94 roles", tables: 1800, tracked: 250, columns: 14, roles: 94, every: 5, conditions: 14},
	} {
		m.run(s.name, func() { m.measure(s) })
	}
	m.run("2,000 tables by bulk", func() { m.measureBulks(2000) })
}

// schemaSize is a schema of which metadata is generated.
type schemaSize struct {
	name                            string
	tables, tracked, columns, roles int
	// every lets a role see one in that many tables, 0 for all.
	every int
	// conditions make the filters larger.
	conditions int
}

type measurement struct {
	t         *testing.T
	c         *cluster
	processes []*process
	gateway   *process
}

// run measures one thing, which -run may choose.
func (m *measurement) run(name string, f func()) {
	m.t.Run(name, func(t *testing.T) {
		defer func(before *testing.T) { m.t = before }(m.t)
		m.t = t
		f()
	})
}

func (m *measurement) measure(s schemaSize) {
	execute(m.t, m.c.databaseURL, "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
	execute(m.t, m.c.databaseURL, s.ddl())
	document := s.document()
	m.print("%s: %.1f MB of metadata", s.name, float64(len(document))/1e6)
	replace := `{"type":"replace_metadata","version":2,"args":{"allow_inconsistent_metadata":false,"metadata":` + document + `}}`
	m.print("  replace            %s", m.whileQuerying(func() { m.api(replace) }))
	m.print("  replace by itself  %s", m.whileQuerying(func() { m.api(replace) }))
	m.print("  export             %s", m.timed(func() { m.api(`{"type":"export_metadata","args":{}}`) }))
	execute(m.t, m.c.databaseURL, "CREATE TABLE fresh (id int PRIMARY KEY, label text)")
	m.print("  track a table      %s", m.timed(func() { m.api(`{"type":"pg_track_table","args":{"table":"fresh"}}`) }))
	m.print("  then see it        %s", m.timed(func() { m.query(`{fresh {id}}`) }))
	before := m.memory()
	m.print("  500 changes        %s", m.timed(func() {
		for n := range 250 {
			m.api(fmt.Sprintf(`{"type":"pg_create_select_permission","args":{"table":"fresh","role":"r%d","permission":{"columns":["id"],"filter":{}}}}`, n))
			m.api(fmt.Sprintf(`{"type":"pg_drop_select_permission","args":{"table":"fresh","role":"r%d"}}`, n))
		}
	}))
	m.print("  memory             %s before, %s after", before, m.memory())
	if s.roles > 1 {
		m.print("  first queries      of %d roles: %s", s.roles, m.costOf(executor, func() { m.firstQueries(s) }))
	}
}

// firstQueries sends one query as each role, on a table that it may see.
func (m *measurement) firstQueries(s schemaSize) {
	for r := range s.roles {
		n := 0
		for s.every > 0 && (n+r)%s.every != 0 {
			n++
		}
		header := map[string]string{
			"X-Engine-Admin-Secret": secret, "X-Engine-Role": fmt.Sprintf("role%d", r), "X-Engine-User-Id": "1",
		}
		a := m.gateway.query(header, fmt.Sprintf(`{t%d {id}}`, n))
		require.NotContains(m.t, a.text(), "errors")
	}
}

func (m *measurement) print(format string, args ...any) { fmt.Printf(format+"\n", args...) }

func (m *measurement) timed(f func()) string {
	began := time.Now()
	f()
	return time.Since(began).Round(time.Millisecond).String()
}

// whileQuerying times f, and the slowest of the queries that are sent meanwhile.
func (m *measurement) whileQuerying(f func()) string {
	ctx, cancel := context.WithCancel(m.t.Context())
	done := make(chan struct{})
	var slowest time.Duration
	count := 0
	go func() {
		defer close(done)
		pace := time.NewTicker(10 * time.Millisecond)
		defer pace.Stop()
		for ctx.Err() == nil {
			<-pace.C
			began := time.Now()
			m.query(`{__typename}`)
			slowest = max(slowest, time.Since(began))
			count++
		}
	}()
	took := m.timed(f)
	cancel()
	<-done
	return fmt.Sprintf("%s, meanwhile %d queries, the slowest %s", took, count, slowest.Round(time.Millisecond))
}

// memory is the resident memory of the services.
func (m *measurement) memory() string {
	sum := 0
	for _, p := range m.processes {
		sum += p.rss()
	}
	return fmt.Sprintf("%d MB", sum>>20)
}

func (m *measurement) api(body string) {
	a, err := m.gateway.send(http.MethodPost, "/v1/metadata", asAdmin, []byte(body))
	require.NoError(m.t, err)
	require.Equal(m.t, http.StatusOK, a.status, a.text()[:min(len(a.text()), 500)])
}

func (m *measurement) query(text string) {
	a := m.gateway.query(asAdmin, text)
	require.NotContains(m.t, a.text(), "errors")
}

func (s schemaSize) ddl() string {
	var b strings.Builder
	for n := range s.tables {
		fmt.Fprintf(&b, "CREATE TABLE t%d (id int PRIMARY KEY, parent int REFERENCES t%d", n, max(0, n-1))
		for c := range s.columns {
			fmt.Fprintf(&b, ", c%d text", c)
		}
		b.WriteString(");\n")
	}
	return b.String()
}

func (s schemaSize) document() string {
	type object map[string]any
	columns := []string{"id", "parent"}
	for c := range s.columns {
		columns = append(columns, fmt.Sprintf("c%d", c))
	}
	filter := object{"parent": object{"_eq": "X-Engine-User-Id"}}
	for n := range s.conditions {
		filter[fmt.Sprintf("c%d", n)] = object{"_neq": "a value of some length"}
	}
	tables := make([]object, s.tracked)
	for n := range tables {
		var permissions []object
		for r := range s.roles {
			if s.every == 0 || (n+r)%s.every == 0 {
				permissions = append(permissions, object{"role": fmt.Sprintf("role%d", r), "permission": object{
					"columns": columns, "filter": filter,
				}})
			}
		}
		tables[n] = object{
			"table": fmt.Sprintf("t%d", n), "select_permissions": permissions,
			"object_relationships": []object{{"name": "above", "using": object{"foreign_key_constraint_on": "parent"}}},
		}
		if n+1 < s.tracked {
			tables[n]["array_relationships"] = []object{{"name": "below", "using": object{
				"foreign_key_constraint_on": object{"table": fmt.Sprintf("t%d", n+1), "column": "parent"},
			}}}
		}
	}
	raw, _ := json.Marshal(object{"version": 3, "sources": []object{{ // strings and numbers always encode
		"name": "default", "kind": "postgres", "tables": tables,
		"configuration": object{"connection_info": object{"database_url": object{"from_env": "ENGINE_GRAPHQL_DATABASE_URL"}}},
	}}})
	return string(raw)
}
