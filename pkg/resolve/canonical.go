package resolve

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"queryengine/pkg/ir"
)

// canonical spells a condition or value so that those that differ only in the order of the operands of
// and, or or, are spelt alike.
func canonical(v any) string {
	switch e := v.(type) {
	case nil:
		return ""
	case ir.And:
		return canonicalSet("and", flatten(e))
	case ir.Or:
		return canonicalSet("or", e.Exps)
	case ir.Not:
		return "not(" + canonical(e.Exp) + ")"
	case ir.Exists:
		return fmt.Sprintf("exists(%s,%s,%s)", canonical(e.From), canonical(e.Join), canonical(e.Where))
	}
	b, _ := json.Marshal(v) // plain data always encodes
	return fmt.Sprintf("%T%s", v, b)
}

// flatten lists the operands of an and, also of nested ones.
func flatten(and ir.And) []ir.BoolExp {
	var list []ir.BoolExp
	for _, e := range and.Exps {
		if inner, ok := e.(ir.And); ok {
			list = append(list, flatten(inner)...)
			continue
		}
		list = append(list, e)
	}
	return list
}

func canonicalSet(name string, exps []ir.BoolExp) string {
	texts := make([]string, len(exps))
	for i, e := range exps {
		texts[i] = canonical(e)
	}
	slices.Sort(texts)
	return name + "(" + strings.Join(texts, ",") + ")"
}
