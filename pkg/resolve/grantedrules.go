package resolve

import (
	"queryengine/pkg/metadata"
	"queryengine/pkg/session"
)

// GrantedRule is one of the rules by which a role may do something with a table.
type GrantedRule[P any] struct {
	// Role is the role that has the rule: the role itself, or one that it inherits from.
	Role string
	// Name is how reports name the rule among those of its role.
	Name string
	Rule *P
}

// SelectRules are the rules behind SelectPermission, in the order in which they count; none for admin, whom no rule binds. They are
// parsed for each call.
func (t *Table) SelectRules(role string) []GrantedRule[SelectPermission] {
	return grantedRules(t, role, t.Meta.SelectPermissions, definitionParser.selectPermission)
}

// UpdateRules are the rules behind UpdatePermission; see SelectRules.
func (t *Table) UpdateRules(role string) []GrantedRule[UpdatePermission] {
	return grantedRules(t, role, t.Meta.UpdatePermissions, definitionParser.updatePermission)
}

// DeleteRules are the rules behind DeletePermission; see SelectRules.
func (t *Table) DeleteRules(role string) []GrantedRule[DeletePermission] {
	return grantedRules(t, role, t.Meta.DeletePermissions, definitionParser.deletePermission)
}

func grantedRules[M, P any](
	t *Table, role string, list []*metadata.Permission[M], parse func(definitionParser, *M) (*P, error),
) []GrantedRule[P] {
	if role == session.Admin {
		return nil
	}
	for _, m := range list {
		if m.Role != role {
			continue
		}
		var rules []GrantedRule[P]
		for i := range m.Permission.Rules {
			p, err := parse(definitionParser{table: t, role: role, tracker: &tracker{}}, &m.Permission.Rules[i])
			if err != nil {
				return nil // the permission counts as absent
			}
			rules = append(rules, GrantedRule[P]{role, m.Permission.RuleName(i), p})
		}
		return rules
	}
	var rules []GrantedRule[P]
	if inherited := t.Source.roles.byName[role]; inherited != nil {
		for _, parent := range inherited.Parents {
			rules = append(rules, grantedRules(t, parent, list, parse)...)
		}
	}
	return rules
}
