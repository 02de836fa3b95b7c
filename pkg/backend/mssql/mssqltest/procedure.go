package mssqltest

import (
	"slices"
	"strings"
)

// Functions that return rows stand for procedures: what they give goes into a variable, for which there is a
// temporary table. Variables with one value are written where they are used.

// rowVariable begins the names of such variables.
const rowVariable = "@rows"

// calling is a statement about a call of a procedure as one of PostgreSQL. ok is false for any other; text is empty
// for one that has nothing to do.
func (s *session) calling(nodes []node) (text string, ok bool) {
	switch {
	case nodes[0].is("declare") && strings.HasPrefix(nodes[1].text, rowVariable):
		if nodes[2].is("table") {
			return "CREATE TEMP TABLE " + spell(nodes[1:2]) + spell(definition(nodes[3:])), true
		}
		value := slices.IndexFunc(nodes, func(n node) bool { return n.is("=") })
		s.variables[nodes[1].text] = selects(nodes[value+1:])
		return "", true
	case nodes[0].is("insert") && strings.HasPrefix(nodes[2].text, rowVariable):
		name := 5 // behind INSERT INTO @rows (...) EXEC
		arguments := name
		for arguments < len(nodes) && !strings.HasPrefix(nodes[arguments].text, "@") {
			arguments++
		}
		var given []node
		for _, n := range nodes[arguments:] {
			switch value, known := s.variables[n.text]; {
			case known:
				given = append(given, value...)
			case strings.HasPrefix(n.text, "@"):
				given = append(given, word(n.text[1:]))
			case n.is("="):
				given = append(given, word("=>"))
			default:
				given = append(given, n)
			}
		}
		return "INSERT INTO " + spell(nodes[2:4]) + " SELECT * FROM " + spell(nodes[name:arguments]) + "(" + spell(given) + ")", true
	}
	return "", false
}
