package plan

import (
	"fmt"
	"strconv"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/schema"
)

// planner is the state of one Build. After an error it is not used any more, so nothing is
// undone on the way out.
type planner struct {
	role    *schema.Role
	values  [][]byte
	options Options
	looks   []Look
	// operation is its name, "" for none.
	operation string

	// path is where the planner is in the document.
	path   []step
	trails trails
	// depth counts selection sets, inputDepth input values; relations and relationDepth are of a
	// root field.
	depth, inputDepth, relations, relationDepth int

	answer answer
	// source, bindings and bound belong to the root field that is being planned.
	source   *resolve.Source
	bindings []Binding
	bound    map[boundKey]int

	// joins are those inside of the selection set that was planned last.
	joins  []JoinMember
	joined *joined

	// tables, writes, functions and remotes are what the plan depends on.
	tables    []*schema.Table
	writes    []*schema.Writable
	functions []Function
	remotes   []*resolve.Remote

	// mutates says that the operation is a mutation, separate that its root fields have a
	// transaction each, and subscribes that it is a subscription.
	mutates, separate, subscribes bool
	// once says that the plan depends on a value of the client's that is hardly ever the same.
	once bool
	// inserts counts the inserts.
	inserts int
	// live is set for a subscription.
	live *live
}

// step is one step of a path: a key or an index.
type step struct {
	key   string
	index int // counts when key is empty
	// single is the index of a value that stands for a list of one without being in a list. The
	// faults of values leave it out, those of what rows mean together don't.
	single bool
}

func (p *planner) push(key string) { p.path = append(p.path, step{key: key}) }

func (p *planner) pushIndex(i int) { p.path = append(p.path, step{index: i}) }

func (p *planner) pop() { p.path = p.path[:len(p.path)-1] }

// fail is a validation error at the current place.
func (p *planner) fail(format string, args ...any) error {
	return p.failWith(apierror.ValidationFailed, fmt.Sprintf(format, args...))
}

func (p *planner) failWith(code apierror.Code, message string) error {
	e := apierror.New(code, message)
	e.Path = spell(p.path)
	return e
}

// failAt is a validation error at a key below the current place.
func (p *planner) failAt(key, format string, args ...any) error {
	p.push(key)
	return p.fail(format, args...)
}

// spell writes a path as clients see it.
func spell(path []step) string {
	var b strings.Builder
	b.WriteByte('$')
	for _, s := range path {
		switch {
		case s.single:
		case s.key == "":
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
		case isPlainKey(s.key):
			b.WriteString("." + s.key)
		default:
			b.WriteString("[" + strconv.Quote(s.key) + "]")
		}
	}
	return b.String()
}

// isPlainKey reports whether a key is written with a dot.
func isPlainKey(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c != '-' && (c < '0' || c > '9')) {
			return false
		}
	}
	return s != ""
}
