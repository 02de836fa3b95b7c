package resolve

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/ir"
)

// The masks. All but null are those of the dialect.
const maskNull = "null"

var maskNames = []string{maskNull, "redact", "hash", "last4", "email"}

// masks has columns of a rule show masks instead of their values, whether the rule lists them or not.
func (d definitionParser) masks(p *SelectPermission, given map[string]json.RawMessage) error {
	for _, name := range sortedKeys(given) {
		c, err := d.column(name, "only columns can be masked")
		if err != nil {
			return apierror.At(err, name)
		}
		masks, err := d.mask(c, given[name])
		if err != nil {
			return apierror.At(err, name)
		}
		d.tracker.needType(columnID(d.table, name))
		masked := SelectColumn{Column: c, Hidden: &Hidden{Unless: ir.Or{}, Masks: masks}}
		place := slices.Index(d.table.Columns, c)
		i, listed := slices.BinarySearchFunc(p.Columns, place, func(s SelectColumn, place int) int {
			return slices.Index(d.table.Columns, s.Column) - place
		})
		if listed {
			p.Columns[i] = masked
		} else {
			p.Columns = slices.Insert(p.Columns, i, masked)
		}
	}
	return nil
}

// mask parses the name of a mask, an expression, or {"value": constant}.
func (d definitionParser) mask(c *Column, raw json.RawMessage) ([]CellMask, error) {
	column := ir.Column{Name: c.Name, Type: c.Type}
	if name, _ := text(raw); c.Embeds && name != maskNull {
		return nil, apierror.Newf(apierror.NotSupported, "objects can only be masked by %q", maskNull)
	}
	if list, ok := members(raw); ok {
		constant := find(list, "value")
		if len(list) != 1 || constant == nil {
			return nil, apierror.New(apierror.ParseFailed, `expected {"value": …}`)
		}
		value, err := parseOperand(d.table.Source.Dialect, c.Type, c.Enum, constant)
		return []CellMask{{Shown: ir.Masked{Expr: column, Value: value}}}, apierror.At(err, "value")
	}
	name, ok := text(raw)
	switch {
	case !ok:
		return nil, apierror.Newf(apierror.ParseFailed, `expected one of the masks %s, an expression, or {"value": …}`, strings.Join(maskNames, ", "))
	case !slices.Contains(maskNames, name):
		parts, err := d.maskExpression(c, name)
		return []CellMask{{Shown: ir.Masked{Expr: column, Parts: parts}}}, err
	case name == maskNull:
		return []CellMask{{Shown: ir.Masked{Expr: column, Value: ir.Literal{Null: true, Type: c.Type}}}}, nil
	}
	mask := d.table.Source.Dialect.Tables().Mask(name)
	switch {
	case mask == nil:
		return nil, apierror.Newf(apierror.NotSupported, "sources of kind %q have no mask %q", d.table.Source.Kind, name)
	case !mask.Takes(c.Type) || c.Enum != nil:
		return nil, apierror.New(apierror.NotSupported, fmt.Sprintf("the mask %q is for text; column %q is of type %s", name, c.Name, c.Type.Name))
	}
	return []CellMask{{Shown: ir.Masked{Expr: column, Mask: name}}}, nil
}
