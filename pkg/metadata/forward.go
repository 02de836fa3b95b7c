package metadata

import "encoding/json"

// ForwardsClientHeaders reports whether some definition forwards headers of clients: only then must
// they be sent to where the definition is used.
func (d *Document) ForwardsClientHeaders() bool {
	for _, s := range d.Sources {
		for _, t := range s.Tables {
			if t.forwardsClientHeaders() {
				return true
			}
		}
	}
	for _, s := range d.RemoteSchemas {
		if s.Definition.ForwardClientHeaders {
			return true
		}
	}
	for _, raw := range d.Actions {
		if a, err := ParseAction(raw); err == nil && a.Definition.ForwardClientHeaders {
			return true
		}
	}
	return false
}

func (t *Table) forwardsClientHeaders() bool {
	return forwards(t.InsertPermissions, func(p *InsertPermission) json.RawMessage { return p.ValidateInput }) ||
		forwards(t.UpdatePermissions, func(p *UpdatePermission) json.RawMessage { return p.ValidateInput }) ||
		forwards(t.DeletePermissions, func(p *DeletePermission) json.RawMessage { return p.ValidateInput })
}

func forwards[P any](list []*Permission[P], validator func(*P) json.RawMessage) bool {
	for _, p := range list {
		for i := range p.Permission.Rules {
			if w, err := ParseValidateInput(validator(&p.Permission.Rules[i])); err == nil && w != nil && w.ForwardClientHeaders {
				return true
			}
		}
	}
	return false
}
