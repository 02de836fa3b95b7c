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

// foreignWarning warns of a permission that compares with, or writes, a text which looks like a session
// variable of another engine. It is a plain text here, which no row or every row has.
func (p *ruleSet) foreignWarning() (Warning, bool) {
	text := p.first(func(text string) bool { return foreignVendor(text) != "" })
	if text == "" {
		return Warning{}, false
	}
	vendor := foreignVendor(text)
	return p.warning("foreign-session-variable", fmt.Sprintf("%q is a plain text here: it looks like a session variable of another engine. "+
		"Start the server with --vendor-names %s, or give replace_metadata \"vendor_names\": %q", text, vendor, vendor)), true
}

// foreignVendor is the name of the engine whose session variable a text looks like, "" for none.
func foreignVendor(text string) string {
	match := foreignVariable.FindStringSubmatch(text)
	if _, known := session.Reference(text); known || match == nil {
		return ""
	}
	vendor := strings.ToLower(match[1])
	if session.CheckVendor(vendor) != nil {
		return ""
	}
	return vendor
}

// openWarning warns of a permission of a role that callers have without credentials: its session
// variables are headers, which such a caller sets to any value.
func (p *ruleSet) openWarning() (Warning, bool) {
	text := p.first(func(text string) bool {
		name, ok := session.Reference(text)
		return ok && name != session.RoleHeader
	})
	if text == "" {
		return Warning{}, false
	}
	return p.warning("unproven-session-variable", fmt.Sprintf("%q is what the caller says it is: requests without credentials have these rules, "+
		"and give session variables any value in their headers", text)), true
}

// first is the first text of the rules that is as asked, "" for none. Keys are names of columns and
// operators.
func (p *ruleSet) first(is func(string) bool) string {
	for _, rule := range p.rules {
		if text := firstText(rule, is); text != "" {
			return text
		}
	}
	return ""
}

func firstText(rule json.RawMessage, is func(string) bool) string {
	switch JSONType(rule) {
	case "String":
		if s, err := text(rule); err == nil && is(s) {
			return s
		}
		return ""
	case "Array":
		items, _ := array(rule)
		for _, item := range items {
			if text := firstText(item, is); text != "" {
				return text
			}
		}
	case "Object":
		var few [fewMembers]member
		fields, _ := members(few[:0], rule)
		for _, m := range sorted(fields) {
			if text := firstText(m.value, is); text != "" {
				return text
			}
		}
	}
	return ""
}
