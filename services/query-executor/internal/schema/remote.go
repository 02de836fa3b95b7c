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

// remoteFields are the fields of the remote relationships. An object relationship may always
// be null: nothing holds two sources together.
func (t *Table) remoteFields() []Field {
	var fields []Field
	for _, r := range t.role.source.RemoteRelationships(t.Table) {
		if r.Source == nil {
			continue
		}
		target := t.role.Table(r.Source.Table)
		if target == nil {
			continue
		}
		m := &RemoteRelation{RemoteRelationship: r, Target: target}
		if !r.Source.Array {
			fields = append(fields, Field{Name: r.Name, Type: Named(target.Type()), Means: m})
			continue
		}
		fields = append(fields, Field{Name: r.Name, Type: target.listType(), Means: m, args: (*rowArgs)(target)})
		if target.Permission.Aggregations {
			fields = append(fields, Field{
				Name: t.naming.aggregateOf(r.Name), Type: NonNull(Named(target.AggregateType())), Means: &RemoteAggregate{m},
				args: (*rowArgs)(target),
			})
		}
	}
	return fields
}
