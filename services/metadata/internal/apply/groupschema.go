package apply

import "queryengine/pkg/metadata"

// groupSchema is what the commands of a group take for the schema: that of the state before the
// group. It knows no columns of tables that the group has tracked; fields of their names are found
// in the end.
type groupSchema struct {
	metadata.Schema
	group *group
	// beyond reports whether a command has asked for what only the resolved document can tell.
	beyond bool
}

// Dependents are those before the group. None is an answer, because additions of the group are checked
// in the end; others may have gone.
func (s *groupSchema) Dependents(ids ...metadata.ObjectID) []metadata.ObjectID {
	found := s.Schema.Dependents(ids...)
	if len(found) > 0 && s.group.changes > 0 {
		s.beyond = true
	}
	return found
}
