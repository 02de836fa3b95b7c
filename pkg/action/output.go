package action

import (
	"encoding/json"
	"fmt"
	"slices"

	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
)

// kind is the kind of a JSON value, by its first character.
type kind byte

const (
	kindNull    kind = 'n'
	kindBoolean kind = 't'
	kindNumber  kind = '0'
	kindString  kind = '"'
	kindArray   kind = '['
	kindObject  kind = '{'
)

// kindOf returns the kind of a value without space around it.
func kindOf(value []byte) kind {
	switch c := value[0]; c {
	case 'f':
		return kindBoolean
	case 'n', 't', '"', '[', '{':
		return kind(c)
	}
	return kindNumber
}

// UnmarshalJSON keeps the kind of a value and nothing else of it.
func (k *kind) UnmarshalJSON(value []byte) error {
	*k = kindOf(value)
	return nil
}

// misfit describes how a value doesn't fit the output type of an action; "" when it does. Of objects,
// only the presence of their own fields counts.
func misfit(value []byte, t *metadata.GraphQLType, base *resolve.CustomType) string {
	anything := base.Kind == resolve.CustomScalar || base.Kind == resolve.SourceScalar
	if anything && t.Item == nil {
		return ""
	}
	k := kindOf(value)
	if k == kindNull {
		if t.NonNull {
			return "got null for the action webhook response"
		}
		return ""
	}
	if t.Item != nil {
		if k != kindArray {
			return "expecting array for the action webhook response"
		}
		return misfitList(value, t, base)
	}
	got := func(what string) string {
		return fmt.Sprintf("got %s for the action webhook response, expecting %s", what, t.Name)
	}
	scalar := func(names ...string) string {
		for _, name := range names {
			if name == t.Name {
				return ""
			}
		}
		// The established engine names every scalar so.
		return got(map[bool]string{false: "scalar String", true: "scalar Boolean"}[k == kindBoolean])
	}
	switch k {
	case kindNumber:
		return scalar("Int", "Float")
	case kindBoolean:
		return scalar("Boolean")
	case kindString:
		return scalar("String", "ID")
	case kindArray:
		return got("array")
	}
	if base.Kind != resolve.CustomObject {
		return got("object")
	}
	return misfitObject(value, base.Object)
}

func misfitList(value []byte, t *metadata.GraphQLType, base *resolve.CustomType) string {
	var items []json.RawMessage
	_ = json.Unmarshal(value, &items) // it was checked to be JSON
	for _, item := range items {
		if reason := misfit(item, t.Item, base); reason != "" {
			return reason
		}
	}
	return ""
}

func misfitObject(value []byte, t *metadata.ObjectType) string {
	if !slices.ContainsFunc(t.Fields, func(f metadata.ObjectField) bool { return f.Type.NonNull }) {
		return ""
	}
	fields := make(map[string]kind, len(t.Fields))
	_ = json.Unmarshal(value, &fields) // it was checked to be JSON
	for i := range t.Fields {
		f := &t.Fields[i]
		if !f.Type.NonNull {
			continue
		}
		switch k, there := fields[f.Name]; {
		case !there:
			return fmt.Sprintf("field %q expected in webhook response, but not found", f.Name)
		case k == kindNull:
			return fmt.Sprintf("expecting not null value for field %q", f.Name)
		}
	}
	return ""
}
