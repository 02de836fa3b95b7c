package schema

import "queryengine/pkg/resolve"

// RemoteRelation is a remote relationship to a table that the role may read: a field of the
// row, and nothing else. It is no part of conditions or orderings, which one source answers.
type RemoteRelation struct {
	*resolve.RemoteRelationship
	Target *Table
}

// RemoteAggregate is the aggregate of an array relationship to another source.
type RemoteAggregate struct{ *RemoteRelation }

func (*RemoteRelation) fieldMeaning()  {}
func (*RemoteAggregate) fieldMeaning() {}

// remoteFields are the fields of the remote relationships.
func (t *Table) remoteFields() []Field {
	left := t.Source.BaseName(t.Catalog.Name)
	var fields []Field
	for _, r := range t.role.source.RemoteRelationships(t.Table) {
		if r.Remote != nil {
			fields = append(fields, t.role.remoteJoin(r, left)...)
			continue
		}
		fields = append(fields, t.role.remoteRelation(r, t.naming)...)
	}
	return fields
}

// remoteRelation are the fields of a relationship to a source. An object relationship may always
// be null: nothing holds two sources together.
func (r *Role) remoteRelation(relationship *resolve.RemoteRelationship, n naming) []Field {
	target := r.Table(relationship.Source.Table)
	if target == nil {
		return nil
	}
	m := &RemoteRelation{RemoteRelationship: relationship, Target: target}
	if !relationship.Source.Array {
		return []Field{{Name: m.Name, Type: Named(target.Type()), Meaning: m}}
	}
	fields := []Field{{Name: m.Name, Type: target.listType(), Meaning: m, args: (*rowArgs)(target)}}
	if target.Permission.Aggregations {
		fields = append(fields, Field{
			Name: n.aggregateOf(m.Name), Type: NonNull(Named(target.AggregateType())), Meaning: &RemoteAggregate{m},
			args: (*rowArgs)(target),
		})
	}
	return fields
}
