package resolve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/ir"
	"queryengine/pkg/metadata"
)

// Lookup is what a rule takes from a table of another source: the values that a column has in
// the rows that satisfy a condition.
type Lookup struct {
	ir.Lookup
	Table  *Table
	Column *Column
	// Rows is the condition, nil for all rows.
	Rows ir.BoolExp
}

// Lookups are what the rules of a permission take from other sources; nil is nothing, which it is
// for nearly all of them.
type Lookups struct{ list []ir.Lookup }

func newLookups(list []ir.Lookup) *Lookups {
	if len(list) == 0 {
		return nil
	}
	return &Lookups{list}
}

// All lists them.
func (l *Lookups) All() []ir.Lookup {
	if l == nil {
		return nil
	}
	return l.list
}

// lookupUse is a permission that looks something up.
type lookupUse struct {
	id         metadata.ObjectID
	definition any
	lookup     ir.Lookup
}

// lookup parses a rule on the rows that a remote relationship leads to: the column that it maps
// has one of the values there. The condition on those is parsed where the other source is at
// hand, see Schema.Lookup.
func (p ruleParser) lookup(t *Table, m *metadata.RemoteRelationship, raw json.RawMessage) (ir.BoolExp, error) {
	refuse := func(why string) (ir.BoolExp, error) {
		return nil, apierror.Newf(apierror.NotSupported, "remote relationship %q can not be part of boolean expression%s", m.Name, why)
	}
	to := m.Definition.ToSource
	switch {
	case p.reader != nil:
		return refuse("")
	case to == nil:
		return refuse(": it leads to a remote schema")
	case len(to.FieldMapping) != 1:
		return refuse(": it maps several columns")
	}
	left := sortedKeys(to.FieldMapping)[0]
	field, ok := t.joinField(left)
	if !ok || field.Column == nil {
		return refuse(fmt.Sprintf(": %q is not a column", left))
	}
	if _, ok := members(raw); !ok {
		return nil, unexpected("boolean expression", "Object", raw)
	}
	var where bytes.Buffer
	if err := json.Compact(&where, raw); err != nil {
		return nil, apierror.New(apierror.ParseFailed, "invalid JSON")
	}
	p.tracker.need(fieldID(t, metadata.ObjectRemoteRelationship, m.Name))
	p.tracker.needType(columnID(t, field.Column.Name))
	l := ir.Lookup{Source: to.Source, Table: to.Table, Column: to.FieldMapping[left], Where: where.String(), Type: field.Column.Type}
	p.tracker.lookups = append(p.tracker.lookups, l)
	return ir.Compare{Left: ir.Column{Name: field.Column.Name, Type: field.Column.Type}, Op: ir.OpIn, Args: []ir.Value{l}}, nil
}

// Lookup resolves what a rule takes from another source. The condition compares columns of the
// table and goes no further.
func (s *Schema) Lookup(l ir.Lookup) (*Lookup, error) {
	source := s.Source(l.Source)
	if source == nil {
		return nil, apierror.Newf(apierror.NotFound, "source not found: %q", l.Source)
	}
	found := &Lookup{Lookup: l, Table: source.Table(l.Table)}
	if found.Table == nil {
		return nil, noSuchTable(l.Table, source)
	}
	if found.Column = found.Table.Column(l.Column); found.Column == nil {
		return nil, noSuchField(l.Column)
	}
	where := json.RawMessage(l.Where)
	list, _ := members(where)
	for _, m := range list {
		if combines := strings.HasPrefix(m.key, "_") || strings.HasPrefix(m.key, "$"); found.Table.Column(m.key) == nil && (combines || found.Table.fieldKind(m.key) != "") {
			return nil, apierror.Newf(apierror.NotSupported, "%q is not a column; conditions on remote relationships can only compare columns", m.key)
		}
	}
	var err error
	found.Rows, err = ParseRule(found.Table, where)
	return found, err
}

// checkLookups checks what rules take from other sources. It rests on several sources, so the
// result isn't kept; few permissions have any.
func (s *Schema) checkLookups() []metadata.Inconsistency {
	var list []metadata.Inconsistency
	for _, source := range s.Sources {
		for _, t := range source.Tables {
			for _, use := range t.check().lookups {
				if _, err := s.Lookup(use.lookup); err != nil {
					list = append(list, inconsistent(use.id, use.definition,
						fmt.Sprintf("in table %q: in permission for role %q: %s", t.Display(), use.id.Role, apierror.From(err).Message)))
				}
			}
		}
	}
	return list
}
