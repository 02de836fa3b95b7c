package e2e

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
)

// userHertz is the unit of the CPU times in /proc, on every Linux that Go runs on.
const userHertz = 100

// cpu is the CPU time of the process so far, in user mode and in the kernel.
func (p *process) cpu() time.Duration {
	p.t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	require.NoError(p.t, err)
	fields := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	var ticks int
	for _, f := range fields[11:13] {
		n, err := strconv.Atoi(string(f))
		require.NoError(p.t, err)
		ticks += n
	}
	return time.Duration(ticks) * time.Second / userHertz
}

// peak is the most resident memory that the process had.
func (p *process) peak() int {
	p.t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	require.NoError(p.t, err)
	_, rest, found := strings.Cut(string(b), "VmHWM:")
	require.True(p.t, found)
	n, err := strconv.Atoi(strings.Fields(rest)[0])
	require.NoError(p.t, err)
	return n << 10
}

// cost is what something took of the services.
type cost struct {
	took time.Duration
	cpu  map[string]time.Duration
	sum  time.Duration
}

func (m *measurement) cost(f func()) cost {
	c := cost{cpu: map[string]time.Duration{}}
	before := map[*process]time.Duration{}
	for _, p := range m.processes {
		before[p] = p.cpu()
	}
	began := time.Now()
	f()
	c.took = time.Since(began)
	for _, p := range m.processes {
		spent := p.cpu() - before[p]
		c.cpu[p.name] += spent
		c.sum += spent
	}
	return c
}

// costOf is the cost in words, with that of one service by itself.
func (m *measurement) costOf(name string, f func()) string {
	c := m.cost(f)
	return fmt.Sprintf("%s, %s of CPU in %s, %s in all services", c.took.Round(time.Millisecond), c.cpu[name], name, c.sum)
}

// measureBulks prints what it costs to make metadata of n tables by bulk requests, and to
// change one thing more after that.
func (m *measurement) measureBulks(n int) {
	s := schemaSize{tables: n, columns: 8}
	execute(m.t, m.c.databaseURL, "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
	m.api(`{"type":"replace_metadata","args":{"version":3,"sources":[]}}`)
	execute(m.t, m.c.databaseURL, s.ddl())
	m.print("%d tables by bulk:", n)
	m.api(`{"type":"pg_add_source","args":{"name":"default","configuration":{"connection_info":{"database_url":{"from_env":"ENGINE_GRAPHQL_DATABASE_URL"}}}}}`)
	var track, relate, permit []string
	for i := range n {
		track = append(track, fmt.Sprintf(`{"type":"pg_track_table","args":{"table":"t%d"}}`, i))
		relate = append(relate, fmt.Sprintf(
			`{"type":"pg_create_object_relationship","args":{"table":"t%d","name":"above","using":{"foreign_key_constraint_on":"parent"}}}`, i))
		if i+1 < n {
			relate = append(relate, fmt.Sprintf(`{"type":"pg_create_array_relationship","args":{"table":"t%d","name":"below",`+
				`"using":{"foreign_key_constraint_on":{"table":"t%d","column":"parent"}}}}`, i, i+1))
		}
		permit = append(permit, fmt.Sprintf(`{"type":"pg_create_select_permission","args":{"table":"t%d","role":"clerk",`+
			`"permission":{"columns":["id","parent","c0","c1"],"filter":{"above":{"parent":{"_eq":"X-Engine-User-Id"}}}}}}`, i))
	}
	for _, b := range []struct {
		name  string
		steps []string
	}{{"track", track}, {"relationships", relate}, {"permissions", permit}} {
		body := `{"type":"bulk","args":[` + strings.Join(b.steps, ",") + `]}`
		m.print("  %5d %-13s %s", len(b.steps), b.name, m.costOf(metadata, func() { m.api(body) }))
	}
	const changes = 50
	more := func(f func(i int)) cost {
		return m.cost(func() {
			for i := range changes {
				f(i)
			}
		})
	}
	for _, c := range []struct {
		name string
		make func(i int)
	}{
		{"permission", func(i int) {
			m.api(fmt.Sprintf(`{"type":"pg_create_select_permission","args":{"table":"t7","role":"r%d","permission":{"columns":["id"],"filter":{}}}}`, i))
		}},
		{"relationship", func(i int) {
			m.api(fmt.Sprintf(`{"type":"pg_create_object_relationship","args":{"table":"t%d","name":"r%d","using":{"foreign_key_constraint_on":"parent"}}}`, i+9, i))
		}},
		{"drop", func(i int) {
			m.api(fmt.Sprintf(`{"type":"pg_drop_select_permission","args":{"table":"t7","role":"r%d"}}`, i))
		}},
	} {
		all := more(c.make)
		m.print("  one more %-10s %s, %s of CPU in metadata, %s in all services", c.name,
			(all.took / changes).Round(100*time.Microsecond), all.cpu[metadata]/changes, all.sum/changes)
	}
	for _, p := range m.processes {
		m.print("  peak of %-14s %d MB", p.name, p.peak()>>20)
	}
}
