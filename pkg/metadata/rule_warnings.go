package metadata

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// ruleSet is a permission, as far as it is warned of its rules.
type ruleSet struct {
	role  string
	name  string // of the permission in warnings
	rules []json.RawMessage
}

func (p *ruleSet) warning(code, message string) Warning {
	return Warning{Message: message, Type: "permission", Name: p.name, Code: code}
}

// ruleWarnings warn of permissions whose rules mean something else than they seem to, once for each
// kind of warning.
func (v View) ruleWarnings(doc *Document, permissions ...*ruleSet) []Warning {
	var list []Warning
	var open []string
	if v.Schema != nil {
		open = doc.rolesIn(v.Schema.OpenRole())
	}
	for _, p := range permissions {
		if p.role != adminRole && strings.EqualFold(strings.TrimSpace(p.role), adminRole) {
			list = append(list, p.warning("role-like-admin", fmt.Sprintf("the role %q is not the built-in role %q, which may do everything", p.role, adminRole)))
		}
		if w, found := p.foreignWarning(); found {
			list = append(list, w)
		}
		if !slices.Contains(open, p.role) {
			continue
		}
		if w, found := p.openWarning(); found {
			list = append(list, w)
		}
	}
	return list
}

// warnOf has the answer to an operation warn of the permission that it made.
func (v View) warnOf(r *Result, p *ruleSet) *Result {
	r.Reply = replyOf(v.ruleWarnings(r.Document, p))
	return r
}

// rolesIn are a role and those that it inherits from; none for "".
func (d *Document) rolesIn(role string) []string {
	if role == "" {
		return nil
	}
	roles := []string{role}
	for i := 0; i < len(roles); i++ {
		for _, r := range d.InheritedRoles {
			if r.Name != roles[i] {
				continue
			}
			for _, parent := range r.Set {
				if !slices.Contains(roles, parent) {
					roles = append(roles, parent)
				}
			}
		}
	}
	return roles
}

// permissionRules are the permissions of a document with their rules.
func (d *Document) permissionRules() []*ruleSet {
	var list []*ruleSet
	for _, s := range d.Sources {
		for _, t := range s.Tables {
			of := tableText(s.Name, s.Display(t.Table))
			list = append(list, rulesOf(t.InsertPermissions, of)...)
			list = append(list, rulesOf(t.SelectPermissions, of)...)
			list = append(list, rulesOf(t.UpdatePermissions, of)...)
			list = append(list, rulesOf(t.DeletePermissions, of)...)
		}
		for _, m := range s.LogicalModels {
			list = append(list, rulesOf(m.SelectPermissions, modelText(s.Name, m.Name))...)
		}
	}
	for _, s := range d.RemoteSchemas {
		for i := range s.Permissions {
			list = append(list, presetRules(s.Name, s.Permissions[i]))
		}
	}
	return list
}

func tableText(source, table string) string {
	return fmt.Sprintf("table %s in source %s", table, source)
}

func modelText(source, name string) string {
	return fmt.Sprintf("logical model %s in source %s", name, source)
}

func rulesOf[P permission](permissions []*Permission[P], of string) []*ruleSet {
	list := make([]*ruleSet, len(permissions))
	for i, p := range permissions {
		list[i] = ruleSetOf(p, of)
	}
	return list
}

func ruleSetOf[P permission](p *Permission[P], of string) *ruleSet {
	r := &ruleSet{role: p.Role, name: fmt.Sprintf("%s permission of role %s on %s", permissionKind[P](), p.Role, of)}
	for i := range p.Permission.Rules {
		switch p := any(&p.Permission.Rules[i]).(type) {
		case *InsertPermission:
			r.rules = append(r.rules, p.Check, p.Set)
		case *SelectPermission:
			r.rules = append(r.rules, p.Filter)
		case *UpdatePermission:
			r.rules = append(r.rules, p.Filter, p.Check, p.Set)
		case *DeletePermission:
			r.rules = append(r.rules, p.Filter)
		}
	}
	return r
}

// Presets in the schema language: @preset(value: "..."), of a text or of several in a list or object.
var (
	presets     = regexp.MustCompile(`@preset\s*\(\s*value\s*:([^)]*)\)`)
	presetTexts = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
)

// presetRules are the presets of a permission on a remote schema.
func presetRules(remote string, p *RemoteSchemaPermission) *ruleSet {
	r := &ruleSet{role: p.Role, name: fmt.Sprintf("permission of role %s on remote schema %s", p.Role, remote)}
	for _, preset := range presets.FindAllStringSubmatch(p.Definition.Schema, -1) {
		for _, text := range presetTexts.FindAllString(preset[1], -1) {
			r.rules = append(r.rules, json.RawMessage(text))
		}
	}
	return r
}
