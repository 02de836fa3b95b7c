package resolve

import (
	"fmt"
	"strings"

	"queryengine/pkg/metadata"
)

// conflict reports that fields of a table have a name that another field has.
type conflict struct {
	fields []field
	reason string
}

// field is a field of a table that isn't a column.
type field struct {
	kind string // of metadata.ObjectID
	name string
	meta any // *metadata.Relationship, *metadata.ComputedField or *metadata.RemoteRelationship
}

// fields lists all fields that aren't columns, in the order of the document.
func (b *base) fields() []field {
	var list []field
	for _, r := range b.meta.ObjectRelationships {
		list = append(list, field{metadata.ObjectObjectRelation, r.Name, r})
	}
	for _, r := range b.meta.ArrayRelationships {
		list = append(list, field{metadata.ObjectArrayRelation, r.Name, r})
	}
	for _, f := range b.meta.ComputedFields {
		list = append(list, field{metadata.ObjectComputedField, f.Name, f})
	}
	for _, r := range b.meta.RemoteRelationships {
		list = append(list, field{metadata.ObjectRemoteRelationship, r.Name, r})
	}
	return list
}

// setConflicts finds the fields that can't be used because of their name.
func (b *base) setConflicts() {
	fields := b.fields()
	byName := make(map[string][]field, len(fields))
	for _, f := range fields {
		byName[f.name] = append(byName[f.name], f)
	}
	for _, f := range fields {
		same := byName[f.name]
		reason := b.columnConflict(f.name)
		if reason == "" && strings.HasPrefix(f.name, "__") {
			reason = introspectionName(f.name)
		}
		switch {
		case reason != "":
			b.exclude(conflict{fields: []field{f}, reason: reason})
		case len(same) > 1 && !b.excluded[f.name]:
			b.exclude(conflict{fields: same, reason: fmt.Sprintf("conflicting definitions for field %q", f.name)})
		}
	}
}

func (b *base) exclude(c conflict) {
	if b.excluded == nil {
		b.excluded = map[string]bool{}
	}
	b.excluded[c.fields[0].name] = true
	b.conflicts = append(b.conflicts, c)
}

// columnConflict returns which column already has the name, "" for none.
func (b *base) columnConflict(name string) string {
	for _, c := range b.columns {
		if c.Field == name && c.Name != name {
			return fmt.Sprintf("field definition conflicts with custom field name for %s column %q", b.head.dialect.Kind(), c.Name)
		}
		if c.Name == name {
			return fmt.Sprintf("field definition conflicts with %s column", b.head.dialect.Kind())
		}
	}
	return ""
}
