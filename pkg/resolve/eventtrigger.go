package resolve

import (
	"encoding/json"
	"fmt"

	"queryengine/pkg/apierror"
	"queryengine/pkg/catalog"
	"queryengine/pkg/extension"
	"queryengine/pkg/metadata"
)

// eventTrigger checks that the table has the columns that a trigger names.
func (c *tableChecker) eventTrigger(raw json.RawMessage) {
	m, err := metadata.ParseEventTrigger(raw)
	if err != nil {
		return // what can't be read was refused when it came
	}
	t := c.table
	k := tracker{wanted: c.wanted}
	var p problem
	for _, name := range m.Columns() {
		if t.Catalog == nil || t.Catalog.Column(name) == nil {
			p = problemf("column %q does not exist", name)
			break
		}
		k.need(columnID(t, name))
	}
	id := fieldID(t, metadata.ObjectEventTrigger, m.Name)
	c.report(id, eventTriggerDefinition(id, raw), fmt.Sprintf("in event trigger %q: ", m.Name), p)
	c.done(id, &k)
}

// checkEventTriggers checks the variables that event triggers name.
func (s *Schema) checkEventTriggers() []metadata.Inconsistency {
	if s.options.Env == nil {
		return nil
	}
	var list []metadata.Inconsistency
	for _, source := range s.Sources {
		for _, t := range source.Tables {
			for _, raw := range t.Meta.EventTriggers {
				m, err := metadata.ParseEventTrigger(raw)
				if err != nil {
					continue
				}
				err = m.Resolve(s.options.Env)
				if err == nil {
					address, _ := m.Address(s.options.Env)
					err = asFault(s.options.Code.Fault(extension.Event, address))
				}
				if err != nil {
					id := fieldID(t, metadata.ObjectEventTrigger, m.Name)
					list = append(list, inconsistent(id, eventTriggerDefinition(id, raw),
						fmt.Sprintf("in table %q: in event trigger %q: %s", t.Display(), m.Name, apierror.From(err).Message)))
				}
			}
		}
	}
	return list
}

func eventTriggerDefinition(id metadata.ObjectID, raw json.RawMessage) any {
	return struct {
		Source        string          `json:"source"`
		Table         catalog.Name    `json:"table"`
		Configuration json.RawMessage `json:"configuration"`
	}{id.Source, id.Table, raw}
}
