package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPermissionTests: a project's tests of permissions tell what a role gets that shouldn't, and keep metadata out that lets it.
func TestPermissionTests(t *testing.T) {
	t.Parallel()
	w, _ := newWorkshop(t)
	w.write("migrations/default/1_note/up.sql",
		`CREATE TABLE note (id int PRIMARY KEY, owner text, body text); INSERT INTO note VALUES (1, 'ann', 'a'), (2, 'bob', 'b')`)
	w.does(0, "migrate apply")
	w.does(0, "track --all")
	w.does(0, "metadata export")
	const table = "metadata/databases/default/tables/public_note.yaml"
	const own = "select_permissions:\n  - role: reader\n    permission:\n      columns: [id, body]\n      filter: {owner: {_eq: X-Engine-User-Id}}\n"
	w.write(table, "table: {name: note, schema: public}\n"+own)
	require.Contains(t, w.does(1, "metadata test"), "there is no such test in")
	w.write("permission_tests/notes.yaml", `
- name: readers see notes of their own
  role: reader
  session: {x-engine-user-id: ann}
  operation: "query ($least: Int!) { note(where: {id: {_gte: $least}}) { id body } }"
  variables: {least: 1}
  rows: {note: [{id: 1, body: a}]}
- name: readers see no owner
  role: reader
  session: {X-Engine-User-Id: ann}
  operation: "{ note { owner } }"
  refusal: validation-failed
- name: readers write nothing
  role: reader
  operation: "mutation { delete_note(where: {}) { affected_rows } }"
  refusal: validation-failed
`)
	require.Contains(t, w.does(3, "metadata test"), `FAIL notes.yaml: readers see notes of their own (role reader)
  got the refusal validation-failed`, "the server doesn't have the permission yet")
	require.Contains(t, w.does(0, "metadata apply --test"), "3 of 3 permission tests passed")
	require.Contains(t, w.does(0, "metadata test"), "3 of 3 permission tests passed")

	// Metadata that lets a role do more doesn't stay.
	w.replace(table, "filter: {owner: {_eq: X-Engine-User-Id}}", "filter: {}")
	w.replace(table, "[id, body]", `"*"`)
	said := w.does(3, "metadata apply --test")
	require.Contains(t, said, `FAIL notes.yaml: readers see notes of their own (role reader)
  expected {"note":[{"id":1,"body":"a"}]}
       got {"note":[{"id":1,"body":"a"},{"id":2,"body":"b"}]}
`)
	require.Contains(t, said, `FAIL notes.yaml: readers see no owner (role reader)
  expected the refusal validation-failed, got {"note":[{"owner":"ann"}, {"owner":"bob"}]}
`)
	require.Contains(t, said, "1 of 3 permission tests passed\nthe metadata is as it was before\n")
	require.Contains(t, w.does(0, "metadata test"), "3 of 3 permission tests passed")

	for text, fault := range map[string]string{
		"- {name: a, role: r, operation: q}":                                                `notes.yaml: test 1: it needs "rows" or "refusal"`,
		"- {name: a, role: r, operation: q, rows: {}, refusal: x}":                          `notes.yaml: test 1: it needs "rows" or "refusal"`,
		"- {name: a, operation: q, rows: {}}":                                               `notes.yaml: test 1: it needs "role"`,
		"- {name: a, role: r, operation: q, rows: {}, session: {x-engine-role: admin}}":     `notes.yaml: test 1: "x-engine-role" is no session variable`,
		"- {name: a, role: r, operation: q, rows: {}, session: {x-engine-admin-secret: s}}": `notes.yaml: test 1: "x-engine-admin-secret" is no session variable`,
		"- {name: a, role: r, operation: q, row: {}}":                                       `notes.yaml: json: unknown field "row"`,
		"{name: a}": "notes.yaml: json: cannot unmarshal object",
	} {
		w.write("permission_tests/notes.yaml", text)
		require.Contains(t, w.does(1, "metadata test"), fault)
	}
}
