package action

import (
	"fmt"
	"slices"

	"queryengine/pkg/jsonwalk"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
)

// misfit describes how a value doesn't fit the output type of an action; "" when it does. Of objects,
// only the presence of their own fields counts.
func misfit(value []byte, t *metadata.GraphQLType, base *resolve.CustomType) string {
	anything := base.Kind == resolve.CustomScalar || base.Kind == resolve.SourceScalar
	if anything && t.Item == nil {
		return ""
	}
	k := jsonwalk.KindOf(value)
	if k == jsonwalk.Null {
		if t.NonNull {
			return "got null for the action webhook response"
		}
		return ""
	}
	if t.Item != nil {
		if k != jsonwalk.Array {
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
		return got(map[bool]string{false: "scalar String", true: "scalar Boolean"}[k == jsonwalk.Boolean])
	}
	switch k {
	case jsonwalk.Number:
		return scalar("Int", "Float")
	case jsonwalk.Boolean:
		return scalar("Boolean")
	case jsonwalk.String:
		return scalar("String", "ID")
	case jsonwalk.Array:
		return got("array")
	}
	if base.Kind != resolve.CustomObject {
		return got("object")
	}
	return misfitObject(value, base.Object)
}

func misfitList(value []byte, t *metadata.GraphQLType, base *resolve.CustomType) string {
	reason := ""
	_ = jsonwalk.Items(value, func(_ int, item []byte) error { // it was checked to be JSON
		if reason == "" {
			reason = misfit(item, t.Item, base)
		}
		return nil
	})
	return reason
}

func misfitObject(value []byte, t *metadata.ObjectType) string {
	if !slices.ContainsFunc(t.Fields, func(f metadata.ObjectField) bool { return f.Type.NonNull }) {
		return ""
	}
	fields := make(map[string]jsonwalk.Kind, len(t.Fields))
	_ = jsonwalk.Fields(value, func(key, field []byte) error { // it was checked to be JSON
		fields[string(key)] = jsonwalk.KindOf(field)
		return nil
	})
	for i := range t.Fields {
		f := &t.Fields[i]
		if !f.Type.NonNull {
			continue
		}
		switch k, there := fields[f.Name]; {
		case !there:
			return fmt.Sprintf("field %q expected in webhook response, but not found", f.Name)
		case k == jsonwalk.Null:
			return fmt.Sprintf("expecting not null value for field %q", f.Name)
		}
	}
	return ""
}
