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
	forwards := func(raw json.RawMessage) bool {
		w, err := ParseValidateInput(raw)
		return err == nil && w != nil && w.ForwardClientHeaders
	}
	for _, p := range t.InsertPermissions {
		if forwards(p.Permission.ValidateInput) {
			return true
		}
	}
	for _, p := range t.UpdatePermissions {
		if forwards(p.Permission.ValidateInput) {
			return true
		}
	}
	for _, p := range t.DeletePermissions {
		if forwards(p.Permission.ValidateInput) {
			return true
		}
	}
	return false
}
