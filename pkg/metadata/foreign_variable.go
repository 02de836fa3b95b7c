package metadata

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"queryengine/pkg/session"
)

// foreignVariable is what session variables of engines of this kind look like.
var foreignVariable = regexp.MustCompile(`^(?i:x)-([A-Za-z0-9]+)-[A-Za-z0-9_-]+$`)

// foreignVariables warn of permissions that compare with, or write, a text which looks like a
// session variable of another engine. It is a plain text here, which no row or every row has.
func (d *Document) foreignVariables() []Warning {
	var list []Warning
	for _, s := range d.Sources {
		for _, t := range s.Tables {
			of := fmt.Sprintf("table %s in source %s", t.Table, s.Name)
			list = append(list, foreignIn(t.InsertPermissions, "insert", of, func(p *InsertPermission) []json.RawMessage {
				return []json.RawMessage{p.Check, p.Set}
			})...)
			list = append(list, foreignIn(t.SelectPermissions, "select", of, selectRules)...)
			list = append(list, foreignIn(t.UpdatePermissions, "update", of, func(p *UpdatePermission) []json.RawMessage {
				return []json.RawMessage{p.Filter, p.Check, p.Set}
			})...)
			list = append(list, foreignIn(t.DeletePermissions, "delete", of, func(p *DeletePermission) []json.RawMessage {
				return []json.RawMessage{p.Filter}
			})...)
		}
		for _, m := range s.LogicalModels {
			of := fmt.Sprintf("logical model %s in source %s", m.Name, s.Name)
			list = append(list, foreignIn(m.SelectPermissions, "select", of, selectRules)...)
		}
	}
	return list
}

func selectRules(p *SelectPermission) []json.RawMessage { return []json.RawMessage{p.Filter} }

// foreignIn warns once of each permission.
func foreignIn[P any](permissions []*Permission[P], operation, of string, rules func(*P) []json.RawMessage) []Warning {
	var list []Warning
	for _, p := range permissions {
		for _, rule := range rules(&p.Permission) {
			text, vendor := foreignText(rule)
			if text == "" {
				continue
			}
			list = append(list, Warning{
				Message: fmt.Sprintf("%q is a plain text here: it looks like a session variable of another engine. "+
					"Start the server with --vendor-names %s, or give replace_metadata \"vendor_names\": %q", text, vendor, vendor),
				Type: "permission", Name: fmt.Sprintf("%s permission of role %s on %s", operation, p.Role, of), Code: "foreign-session-variable",
			})
			break
		}
	}
	return list
}

// foreignText is the first text of a rule that looks like a session variable and is none, with the
// name of the engine; "" for none. Keys are names of columns and operators.
func foreignText(rule json.RawMessage) (text, vendor string) {
	switch JSONType(rule) {
	case "String":
		if plain, ok := plainText(rule); ok {
			text = plain
		} else if json.Unmarshal(rule, &text) != nil {
			return "", ""
		}
		match := foreignVariable.FindStringSubmatch(text)
		if _, known := session.Reference(text); known || match == nil {
			return "", ""
		}
		vendor = strings.ToLower(match[1])
		if session.CheckVendor(vendor) != nil {
			return "", ""
		}
		return text, vendor
	case "Array":
		items, _ := array(rule)
		for _, item := range items {
			if text, vendor = foreignText(item); text != "" {
				return text, vendor
			}
		}
	case "Object":
		var few [fewMembers]member
		fields, _ := members(few[:0], rule)
		for _, m := range sorted(fields) {
			if text, vendor = foreignText(m.value); text != "" {
				return text, vendor
			}
		}
	}
	return "", ""
}
