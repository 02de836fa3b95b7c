package metadata

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/testlong"
)

// model is the metadata as simply as it can be: the objects, and whether they are consistent.
type model struct {
	tables  map[int]modelTable  // t0..t4; each has a foreign key to the one before it
	roles   map[string][]string // inherited roles
	queries map[string]bool     // collections
	limit   int                 // depth limit, 0 for none
}

type modelTable struct {
	roles   map[string]bool // select permissions
	up      bool            // the object relationship to the table before
	comment string          // of up
}

const modelTables = 5

var modelRoles = []string{"clerk", "auditor", "boss"}

func (m model) clone() model {
	tables := map[int]modelTable{}
	for n, t := range m.tables {
		t.roles = maps.Clone(t.roles)
		tables[n] = t
	}
	return model{tables, maps.Clone(m.roles), maps.Clone(m.queries), m.limit}
}

// consistent reports whether relationships lead to tables and roles are made of roles.
func (m model) consistent() bool {
	known := map[string]bool{}
	for n, t := range m.tables {
		if _, there := m.tables[n-1]; t.up && !there {
			return false
		}
		for r := range t.roles {
			known[r] = true
		}
	}
	for _, parents := range m.roles {
		for _, p := range parents {
			if !known[p] {
				return false
			}
		}
	}
	return true
}

// document is the metadata document, with the sources' configuration as given.
func (m model) document(configuration json.RawMessage) string {
	type object map[string]any
	tables := []object{}
	for _, n := range slices.Sorted(maps.Keys(m.tables)) {
		t := m.tables[n]
		o := object{"table": object{"schema": "public", "name": fmt.Sprintf("t%d", n)}}
		if t.up {
			up := object{"name": "up", "using": object{"foreign_key_constraint_on": "parent"}}
			if t.comment != "" {
				up["comment"] = t.comment
			}
			o["object_relationships"] = []object{up}
		}
		var permissions []object
		for _, r := range slices.Sorted(maps.Keys(t.roles)) {
			permissions = append(permissions, object{"role": r, "permission": object{"columns": "*", "filter": object{}}})
		}
		if permissions != nil {
			o["select_permissions"] = permissions
		}
		tables = append(tables, o)
	}
	doc := object{"version": 3, "sources": []object{{
		"name": "default", "kind": "postgres", "tables": tables, "configuration": configuration,
	}}}
	for _, name := range slices.Sorted(maps.Keys(m.roles)) {
		list, _ := doc["inherited_roles"].([]object)
		doc["inherited_roles"] = append(list, object{"role_name": name, "role_set": m.roles[name]})
	}
	for _, name := range slices.Sorted(maps.Keys(m.queries)) {
		list, _ := doc["query_collections"].([]object)
		doc["query_collections"] = append(list, object{"name": name, "definition": object{"queries": []object{}}})
	}
	if m.limit > 0 {
		doc["api_limits"] = object{"disabled": false, "depth_limit": object{"global": m.limit, "per_role": object{}}}
	}
	raw, _ := json.Marshal(doc) // texts and numbers always encode
	return string(raw)
}

// step is a random request with its effect on the model; consistent and ok tell whether it succeeds.
func (m model) step(r *rand.Rand, configuration json.RawMessage) (request string, next model, ok bool) {
	next = m.clone()
	n := r.IntN(modelTables)
	t, tracked := next.tables[n]
	role := modelRoles[r.IntN(len(modelRoles))]
	name := fmt.Sprintf("x%d", r.IntN(3))
	switch r.IntN(11) {
	case 0, 1:
		next.tables[n] = modelTable{roles: map[string]bool{}}
		return fmt.Sprintf(`{"type":"pg_track_table","args":{"table":"t%d"}}`, n), next, !tracked
	case 2:
		delete(next.tables, n)
		return fmt.Sprintf(`{"type":"pg_untrack_table","args":{"table":"t%d"}}`, n), next, tracked
	case 3, 4:
		ok = tracked && !t.roles[role]
		if ok {
			t.roles[role] = true
		}
		return fmt.Sprintf(`{"type":"pg_create_select_permission","args":{"table":"t%d","role":%q,"permission":{"columns":"*","filter":{}}}}`, n, role), next, ok
	case 5:
		ok = tracked && t.roles[role]
		delete(t.roles, role)
		return fmt.Sprintf(`{"type":"pg_drop_select_permission","args":{"table":"t%d","role":%q}}`, n, role), next, ok
	case 6:
		ok = tracked && !t.up && n > 0
		if tracked {
			t.up, t.comment = true, name
			next.tables[n] = t
		}
		return fmt.Sprintf(`{"type":"pg_create_object_relationship","args":{"table":"t%d","name":"up","using":{"foreign_key_constraint_on":"parent"},"comment":%q}}`, n, name), next, ok
	case 7:
		ok = tracked && t.up
		if ok {
			t.up, t.comment = false, ""
			next.tables[n] = t
		}
		return fmt.Sprintf(`{"type":"pg_drop_relationship","args":{"table":"t%d","relationship":"up"}}`, n), next, ok
	case 8:
		next.roles[name] = []string{role}
		return fmt.Sprintf(`{"type":"add_inherited_role","args":{"role_name":%q,"role_set":[%q]}}`, name, role), next, true
	case 9:
		_, ok = next.roles[name]
		delete(next.roles, name)
		return fmt.Sprintf(`{"type":"drop_inherited_role","args":{"role_name":%q}}`, name), next, ok
	}
	switch r.IntN(5) {
	case 0:
		ok = !next.queries[name]
		next.queries[name] = true
		return fmt.Sprintf(`{"type":"create_query_collection","args":{"name":%q,"definition":{"queries":[]}}}`, name), next, ok
	case 1:
		next.limit = r.IntN(9) + 1
		return fmt.Sprintf(`{"type":"set_api_limits","args":{"depth_limit":{"global":%d}}}`, next.limit), next, true
	case 2:
		next.limit = 0
		return `{"type":"remove_api_limits","args":{}}`, next, true
	case 3:
		return `{"type":"reload_metadata","args":{}}`, next, true
	}
	next = model{tables: map[int]modelTable{0: {roles: map[string]bool{role: true}}}, roles: map[string][]string{name: {role}}, queries: map[string]bool{}}
	return `{"type":"replace_metadata","args":` + next.document(configuration) + `}`, next, true
}

// request is one step, or a bulk of several of which the first that fails undoes all.
func (m model) request(r *rand.Rand, configuration json.RawMessage) (request string, next model, ok bool) {
	if r.IntN(6) > 0 {
		request, next, ok = m.step(r, configuration)
		return request, next, ok && next.consistent()
	}
	next, ok = m, true
	var requests []string
	for range r.IntN(4) + 1 {
		one, after, fits := next.step(r, configuration)
		requests = append(requests, one)
		if !fits || !after.consistent() {
			ok = false
			break
		}
		next = after
	}
	return `{"type":"bulk","args":[` + strings.Join(requests, ",") + `]}`, next, ok
}

// TestRandomRequestsAgainstAModel sends random requests, right and wrong ones. After each, the export
// equals the model, and so does the state of a service that follows the stream; in the end, so do the
// stream alone, and every version of the history.
func TestRandomRequestsAgainstAModel(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			var sql strings.Builder
			for n := range modelTables {
				fmt.Fprintf(&sql, "CREATE TABLE t%d (id int PRIMARY KEY, parent int);", n)
				if n > 0 {
					fmt.Fprintf(&sql, "ALTER TABLE t%d ADD FOREIGN KEY (parent) REFERENCES t%d;", n, n-1)
				}
			}
			w.sql(t, w.source, sql.String())
			i := w.start(t)
			follower := w.follow(t, true)
			var given struct {
				Sources []struct {
					Configuration json.RawMessage `json:"configuration"`
				} `json:"sources"`
			}
			require.NoError(t, json.Unmarshal([]byte(i.export(t)), &given))
			configuration := given.Sources[0].Configuration

			r := rand.New(rand.NewPCG(seed, 17))
			m := model{tables: map[int]modelTable{}, roles: map[string][]string{}, queries: map[string]bool{}}
			history := map[int64]string{i.version(): i.export(t)}
			for range testlong.Of(50, 150) {
				request, next, ok := m.request(r, configuration)
				version := i.version()
				_, _, err := call(t, i.bus, v1metadata, request)
				require.Equal(t, ok, err == nil, "%s\non %s\n%v", request, m.document(configuration), err)
				if ok {
					m = next
					version++
				}
				require.Equal(t, version, i.version(), request)
				export := i.export(t)
				require.JSONEq(t, m.document(configuration), export, request)
				require.Equal(t, export, exported(t, waitFor(t, follower, version)), request)
				history[version] = export
			}
			require.Equal(t, i.export(t), replay(t, i.bus))
			for _, version := range slices.Sorted(maps.Keys(history)) {
				i.ok(t, fmt.Sprintf(`{"type":"rollback_metadata","args":{"version":%d}}`, version))
				require.Equal(t, history[version], i.export(t))
			}
		})
	}
}
