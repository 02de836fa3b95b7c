package mssqltest

import "strings"

// WritingToPostgres is ToPostgres for the statements of mutations.
func WritingToPostgres(text string) string {
	nodes, _ := parseTSQL(strings.ReplaceAll(text, " WITH (UPDLOCK, HOLDLOCK)", ""))
	return writing(nodes)
}

func writing(nodes []node) string {
	at := func(words ...string) int {
		for i := range nodes {
			found := true
			for j, w := range words {
				found = found && i+j < len(nodes) && nodes[i+j].is(w)
			}
			if found {
				return i
			}
		}
		return -1
	}
	if into := at("into"); nodes[0].is("select") && into > 0 {
		name := nodes[into+1]
		rest := append(append([]node{}, nodes[:into]...), nodes[into+2:]...)
		return "CREATE TEMP TABLE " + spell([]node{name}) + " ON COMMIT DROP AS " + spell(selects(rest))
	}
	output := at("output")
	var returning, names string
	if output > 0 {
		into := at("into", "#written")
		returning, names = spell(nodes[output+1:into]), spell(nodes[into+2:into+3])
		nodes = append(append([]node{}, nodes[:output]...), nodes[into+3:]...)
	}
	var sql string
	switch from := at("from"); {
	case nodes[0].is("merge"):
		// MERGE INTO name AS t USING (...) AS s ON 1 = 0 WHEN NOT MATCHED THEN INSERT (...) VALUES (...). The rows
		// are numbered as they come.
		using, insert := at("using"), at("insert")
		sql = "INSERT INTO " + spell(nodes[2:using-2]) + spell(nodes[insert+1:insert+2]) + " SELECT " + spell(selects(nodes[insert+3].group)) +
			" FROM " + spell(selects(nodes[using+1:using+2])) + " AS s ORDER BY s.n"
		returning = strings.Replace(returning, "s.\"n\"", "0", 1)
	case nodes[0].is("insert"):
		head := []node{}
		for i, n := range nodes {
			if n.is("select") {
				head = append(head, selects(nodes[i:])...)
				break
			}
			if n.group != nil {
				n.group = selects(n.group)
			}
			head = append(head, n)
		}
		sql = spell(head)
	case nodes[0].is("update"):
		set, where := at("set"), at("where")
		join, on := at("join"), at("on")
		if where < 0 {
			where = len(nodes)
		}
		if join < 0 {
			sql = "UPDATE " + spell(nodes[from+1:where]) + spell(selects(nodes[set:from])) + spell(selects(nodes[where:]))
		} else {
			sql = "UPDATE " + spell(nodes[from+1:join]) + spell(selects(nodes[set:from])) + " FROM " + spell(nodes[join+1:on]) +
				" WHERE (" + spell(nodes[on+1:where]) + ") AND " + spell(selects(nodes[where+1:]))
		}
	case nodes[0].is("delete"):
		sql = "DELETE FROM " + spell(nodes[from+1:from+4+2]) + spell(selects(nodes[from+4+2:]))
	default:
		return spell(selects(nodes))
	}
	if output < 0 {
		return sql
	}
	target := ""
	if nodes[0].is("update", "delete") {
		target = spell(nodes[1:2])
		target = strings.TrimSpace(target) + "."
	}
	returning = strings.NewReplacer("INSERTED.", target, "DELETED.", target).Replace(returning)
	return "WITH written_rows AS (" + sql + " RETURNING " + returning + ") INSERT INTO \"#written\" " + names + " SELECT * FROM written_rows"
}
