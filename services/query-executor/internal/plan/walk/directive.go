package walk

import (
	"strings"

	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/schema"
)

// place is where a directive stands, in words.
type place string

const (
	onField  place = "a field"
	onSpread place = "a fragment spread"
	onInline place = "an inline fragment"
)

// included evaluates @include and @skip, and refuses whatever else stands there.
func (p *Walker) included(list []parse.Directive, where place) (bool, error) {
	if len(list) == 0 {
		return true, nil
	}
	if err := p.uniqueDirectives(list); err != nil {
		return false, err
	}
	included := true
	for i := range list {
		d := &list[i]
		switch d.Name {
		case "include", "skip":
			condition, err := p.condition(d)
			if err != nil {
				return false, err
			}
			included = included && condition == (d.Name == "include")
		case "cached":
			return false, p.Fail("directive 'cached' is not allowed on %s", where)
		default:
			return false, p.Fail("directive '%s' is not defined in the schema", d.Name)
		}
	}
	return included, nil
}

// condition is the argument `if` of a directive.
func (p *Walker) condition(d *parse.Directive) (bool, error) {
	result := false
	err := p.directiveArguments(d, func(in *schema.Input, v input.Value) (err error) {
		result, err = p.Boolean(in.Type, v)
		return err
	})
	return result, err
}

func (p *Walker) directiveArguments(d *parse.Directive, f func(in *schema.Input, v input.Value) error) error {
	s := &Selected{Field: &parse.Field{Name: d.Name, Arguments: d.Arguments}}
	return p.Arguments(s, p.Role.Directive(d.Name).Args, f)
}

// OperationDirectives accepts @cached, which has no effect on the plan.
func (p *Walker) OperationDirectives(op *parse.Operation) error {
	if err := p.uniqueDirectives(op.Directives); err != nil {
		return err
	}
	for i := range op.Directives {
		switch d := &op.Directives[i]; {
		case d.Name == "cached" && op.Kind == parse.Query:
			if err := p.literalTags(d); err != nil {
				return err
			}
			if err := p.directiveArguments(d, p.cachedArgument); err != nil {
				return err
			}
		case d.Name == SeveralFields && op.Kind == parse.Subscription:
		case d.Name == "cached", d.Name == "include", d.Name == "skip":
			return p.Fail("directive '%s' is not allowed on a %s", d.Name, op.Kind)
		default:
			return p.Fail("directive '%s' is not defined in the schema", d.Name)
		}
	}
	return nil
}

// The bounds of tags.
const (
	mostTags   = 16
	longestTag = 128
)

// literalTags refuses tags that aren't texts in the document: all answers of a document have the same.
func (p *Walker) literalTags(d *parse.Directive) error {
	for i := range d.Arguments {
		v := &d.Arguments[i].Value
		if d.Arguments[i].Name != "tags" || v.Kind == parse.Null {
			continue
		}
		if v.Kind != parse.List || len(v.Items) > mostTags {
			return p.Fail("'tags' is a list of at most %d texts", mostTags)
		}
		for _, tag := range v.Items {
			if tag.Kind != parse.String || tag.Text == "" || len(tag.Text) > longestTag {
				return p.Fail("a tag is a text of 1 to %d bytes", longestTag)
			}
		}
	}
	return nil
}

func (p *Walker) cachedArgument(in *schema.Input, v input.Value) error {
	if in.Name == "tags" {
		return nil // see literalTags
	}
	if in.Name == "refresh" {
		_, err := p.Boolean(in.Type, v)
		return err
	}
	v, err := p.Open(in.Type, v)
	if err != nil {
		return err
	}
	p.Look(v, input.LookValue)
	if _, ok := input.WholeNumber(v.Text(), 32); !ok || v.Kind() != input.Int && v.Kind() != input.Number {
		return p.Mismatch("Int", "a 32-bit integer", v)
	}
	return nil
}

// uniqueDirectives refuses directives that stand twice at one place.
func (p *Walker) uniqueDirectives(list []parse.Directive) error {
	if len(list) < 2 {
		return nil
	}
	var repeated []string
	times := make(map[string]int, len(list))
	for i := range list {
		name := list[i].Name
		if times[name]++; times[name] == 2 {
			repeated = append(repeated, "'"+name+"'")
		}
	}
	if len(repeated) > 0 {
		return p.Fail("the following directives are used more than once: [%s]", strings.Join(repeated, ", "))
	}
	return nil
}

// SeveralFields is a directive of subscriptions that lets them have several root fields.
const SeveralFields = "_multiple_top_level_fields"
