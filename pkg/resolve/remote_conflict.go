package resolve

import (
	"fmt"

	"queryengine/pkg/remoteschema"
)

// remoteNames are the names in the schema that a remote schema may not have.
type remoteNames struct {
	schema *Schema
	// sources are the root fields of sources and actions, tables the types of rows; both are
	// found when they are requested the first time.
	sources map[rootUse]bool
	tables  map[string]*Table
	// customs are the types of actions, found like those.
	customs map[string]string
	// fields and types are those of the remote schemas so far.
	fields map[rootUse]bool
	types  map[string]*remoteschema.Type
}

func (s *Schema) newRemoteNames() *remoteNames {
	return &remoteNames{schema: s, fields: map[rootUse]bool{}, types: map[string]*remoteschema.Type{}}
}

// claim takes the names of a remote schema. When one of them is taken, it returns the conflict and
// takes none; ofTable reports whether rows of a table have it.
func (n *remoteNames) claim(r *Remote) (conflict string, ofTable bool) {
	uses := rootUses(r.admin)
	for _, u := range uses {
		switch {
		case n.fields[u]:
			return fmt.Sprintf("Duplicate remote field '%s'", u.name), false
		case n.ofSource(u):
			return fmt.Sprintf("Field cannot be overwritten by remote field '%s'", u.name), false
		}
	}
	for _, t := range r.admin.Types {
		if sharesRoot(r.admin, t) {
			continue
		}
		if conflict := n.typeConflict(t); conflict != "" {
			return conflict, n.tableOf(t.Name) != nil
		}
	}
	for _, u := range uses {
		n.fields[u] = true
	}
	for _, t := range r.admin.Types {
		if n.types[t.Name] == nil && !sharesRoot(r.admin, t) {
			n.types[t.Name] = t
		}
	}
	return "", false
}

// typeConflict describes the other type with the name. Equal types of remote schemas are one.
func (n *remoteNames) typeConflict(t *remoteschema.Type) string {
	const differs = "Conflicting types: Found conflicting definitions for GraphQL type '%s'.  " +
		"The definition at '%s' differs from the definition at e.g. '%s'.\nFormer has definition:\n%s\nLatter has definition:\n%s"
	text := t.Definition()
	if other := n.types[t.Name]; other != nil {
		if before := other.Definition(); before != text {
			return fmt.Sprintf(differs, t.Name, t.Name, t.Name, text, before)
		}
	}
	if table := n.tableOf(t.Name); table != nil {
		return fmt.Sprintf(differs, t.Name, t.Name, t.Name, text,
			fmt.Sprintf("the rows of table %s in source %s", table.Display(), table.Source.Name))
	}
	if other := n.engineConflict(t); other != "" {
		return fmt.Sprintf(differs, t.Name, t.Name, t.Name, text, other)
	}
	return ""
}

// tableOf is the table whose rows have a type of that name, nil for none.
func (n *remoteNames) tableOf(name string) *Table {
	if n.tables == nil {
		n.tables = map[string]*Table{}
		for _, source := range n.schema.Sources {
			for _, t := range source.Tables {
				if !n.schema.Hides(t) {
					n.tables[source.head.rowType(t.base.id)] = t
				}
			}
		}
	}
	return n.tables[name]
}

// sharesRoot reports whether t is a root type whose fields go into the root types of the
// engine, so that its own name isn't seen.
func sharesRoot(s *remoteschema.Schema, t *remoteschema.Type) bool {
	return s.Namespace == "" && (t == s.Query || t == s.Mutation || t == s.Subscription)
}

// rootUses lists the root fields of a remote schema.
func rootUses(s *remoteschema.Schema) []rootUse {
	var list []rootUse
	for _, root := range []struct {
		name string
		typ  *remoteschema.Type
	}{{queryRoot, s.Query}, {mutationRoot, s.Mutation}} {
		switch {
		case root.typ == nil:
		case s.Namespace != "":
			list = append(list, rootUse{"", root.name, s.Namespace})
		default:
			for _, f := range root.typ.Fields {
				list = append(list, rootUse{"", root.name, f.Name})
			}
		}
	}
	return list
}

// ofSource reports whether a source has the root field, or its namespace has that name.
func (n *remoteNames) ofSource(u rootUse) bool {
	if n.sources == nil {
		n.sources = map[rootUse]bool{}
		for _, c := range n.schema.claimants() {
			c.each(&n.schema.options, func(u rootUse) {
				if u.namespace != "" {
					u = rootUse{"", u.root, u.namespace}
				}
				n.sources[u] = true
			})
		}
	}
	return n.sources[u]
}
