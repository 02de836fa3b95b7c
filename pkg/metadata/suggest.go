package metadata

import (
	"encoding/json"
	"maps"
	"slices"

	"queryengine/pkg/catalog"
)

// SuggestRelationships are the arguments of suggest_relationships.
type SuggestRelationships struct {
	Source string `json:"source" meta:"default=default"`
	// Tables are those whose relationships with tracked tables, and with each other, are suggested; nil for all that are tracked.
	Tables      []catalog.Name `json:"tables"`
	OmitTracked bool           `json:"omit_tracked"`
}

// suggestion is a relationship that a foreign key allows for.
type suggestion struct {
	Type string `json:"type"`
	From side   `json:"from"`
	To   side   `json:"to"`
}

type side struct {
	Table   catalog.Name `json:"table"`
	Columns []string     `json:"columns"`
	// Constraint is on the side that holds the key.
	Constraint string `json:"constraint_name,omitempty"`
}

// Answer suggests both directions of every foreign key that one of the tables has or is the target of.
func (a *SuggestRelationships) Answer(v View) (json.RawMessage, error) {
	source, err := v.usableSource(a.Source)
	if err != nil {
		return nil, err
	}
	tracked := mappedTo(source.Tables, func(t *Table) catalog.Name { return t.Table })
	asked := sortedNames(a.Tables)
	if a.Tables == nil {
		asked = sortedNames(tracked)
	}
	considered := sortedNames(append(tracked, a.Tables...))
	found := v.Catalogs[a.Source]
	list := []suggestion{}
	for _, name := range considered {
		t := found.Tables[name]
		if t == nil {
			continue
		}
		for _, key := range t.ForeignKeys {
			if !hasName(considered, key.Target) || !hasName(asked, name) && !hasName(asked, key.Target) {
				continue
			}
			for _, s := range suggestionsOf(t, key) {
				if !a.OmitTracked || !source.hasRelationship(found, s) {
					list = append(list, s)
				}
			}
		}
	}
	return Encode(struct {
		Relationships []suggestion `json:"relationships"`
	}{list})
}

func sortedNames(names []catalog.Name) []catalog.Name {
	names = slices.Clone(names)
	slices.SortFunc(names, catalog.Name.Compare)
	return slices.Compact(names)
}

func hasName(sorted []catalog.Name, name catalog.Name) bool {
	_, has := slices.BinarySearchFunc(sorted, name, catalog.Name.Compare)
	return has
}

// suggestionsOf are the relationships on both sides of a foreign key of t.
func suggestionsOf(t *catalog.Table, key catalog.ForeignKey) []suggestion {
	holder := side{t.Name, key.Columns, key.Name}
	target := side{Table: key.Target, Columns: key.TargetColumns}
	reverse := "array"
	if isUnique(t, key.Columns) {
		reverse = "object"
	}
	return []suggestion{{"object", holder, target}, {reverse, target, holder}}
}

// isUnique reports whether no two rows have the same values in the columns.
func isUnique(t *catalog.Table, columns []string) bool {
	sorted := slices.Sorted(slices.Values(columns))
	same := func(c catalog.Constraint) bool { return slices.Equal(slices.Sorted(slices.Values(c.Columns)), sorted) }
	return t.PrimaryKey != nil && same(*t.PrimaryKey) || slices.ContainsFunc(t.Uniques, same)
}

// hasRelationship reports whether a relationship joins the same columns.
func (s *Source) hasRelationship(c *catalog.Source, wanted suggestion) bool {
	t := s.Table(wanted.From.Table)
	if t == nil {
		return false
	}
	join := map[string]string{}
	for i, column := range wanted.From.Columns {
		join[column] = wanted.To.Columns[i]
	}
	list := t.ObjectRelationships
	if wanted.Type == "array" {
		list = t.ArrayRelationships
	}
	return slices.ContainsFunc(list, func(r *Relationship) bool {
		table, columns := r.Using.join(c, t.Table)
		return table == wanted.To.Table && maps.Equal(columns, join)
	})
}

// join is the other table and the columns that a relationship of table joins; none when
// its foreign key doesn't exist.
func (u *RelationshipUsing) join(c *catalog.Source, table catalog.Name) (other catalog.Name, columns map[string]string) {
	switch {
	case u.Manual != nil:
		return u.Manual.RemoteTable, u.Manual.ColumnMapping
	case u.Remote != nil:
		if key := foreignKeyOf(c.Tables[u.Remote.Table], u.Remote.Columns); key != nil {
			columns = map[string]string{}
			for i, column := range key.TargetColumns {
				columns[column] = key.Columns[i]
			}
			return u.Remote.Table, columns
		}
	default:
		if key := foreignKeyOf(c.Tables[table], u.Columns); key != nil {
			return key.Target, mapping(*key)
		}
	}
	return catalog.Name{}, nil
}

// foreignKeyOf is the foreign key of t on exactly the columns, in any order.
func foreignKeyOf(t *catalog.Table, columns []string) *catalog.ForeignKey {
	if t == nil {
		return nil
	}
	sorted := slices.Sorted(slices.Values(columns))
	i := slices.IndexFunc(t.ForeignKeys, func(k catalog.ForeignKey) bool {
		return slices.Equal(slices.Sorted(slices.Values(k.Columns)), sorted)
	})
	if i < 0 {
		return nil
	}
	return &t.ForeignKeys[i]
}

func mappedTo[T, U any](list []T, f func(T) U) []U {
	out := make([]U, len(list))
	for i, e := range list {
		out[i] = f(e)
	}
	return out
}
