package bigquerytest

import "strings"

// definition is a CREATE TABLE or CREATE TABLE FUNCTION as PostgreSQL has it; "" for any other statement.
func (t *translator) definition(nodes []node) string {
	at := 1
	if len(nodes) > 3 && nodes[1].is("OR") {
		at = 3
	}
	if len(nodes) <= at+1 || !nodes[0].is("CREATE") || !nodes[at].is("TABLE") {
		return ""
	}
	if !nodes[at+1].is("FUNCTION") {
		return spell(typed(nodes))
	}
	// The name, the arguments, what it returns, AS and the body in parentheses.
	rest := typed(nodes[at+2:])
	arguments, as := 0, len(rest)-2
	for arguments < len(rest) && rest[arguments].open != '(' {
		arguments++
	}
	if as <= arguments || !rest[as].is("AS") {
		return ""
	}
	body := t.rewrite(rest[as+1].group)
	returns := "SETOF " + readFrom(body)
	if declared := rest[arguments+1 : as]; len(declared) > 0 { // RETURNS TABLE < columns >
		returns = "TABLE (" + spell(declared[3:len(declared)-1]) + ")"
	}
	return spell(nodes[:at]) + " FUNCTION " + spell(rest[:arguments+1]) + " RETURNS " + returns + " LANGUAGE sql STABLE AS $$" + spell(body) + "$$"
}

// readFrom is the relation that a select reads, all of whose columns it is to return.
func readFrom(nodes []node) string {
	for i, n := range nodes {
		if !n.is("FROM") {
			continue
		}
		end := i + 2
		for end+1 < len(nodes) && nodes[end].is(".") {
			end += 2
		}
		return spell(nodes[i+1 : min(end, len(nodes))])
	}
	return ""
}

// typed replaces GoogleSQL's types by PostgreSQL's; none is the name of a column.
func typed(nodes []node) []node {
	list := make([]node, len(nodes))
	for i, n := range nodes {
		switch name := typeNames[strings.ToUpper(n.text)]; {
		case n.open != 0:
			n.group = typed(n.group)
		case name != "" && i > 0 && !nodes[i-1].is(",", "."):
			n = word(name)
		}
		list[i] = n
	}
	return list
}
