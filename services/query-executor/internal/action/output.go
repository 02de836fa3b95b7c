package action

import (
	"fmt"

	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/rawjson"
)

// misfit says how a value doesn't fit the output type of an action; "" when it does. Of
// objects, only the presence of their own fields counts.
func misfit(value []byte, t *metadata.GraphQLType, base *resolve.CustomType) string {
	anything := base.Kind == resolve.CustomScalar || base.Kind == resolve.SourceScalar
	if anything && t.Item == nil {
		return ""
	}
	kind := rawjson.KindOf(value)
	if kind == rawjson.Null {
		if t.NonNull {
			return "got null for the action webhook response"
		}
		return ""
	}
	if t.Item != nil {
		return misfitList(value, kind, t, base)
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
		return got(map[bool]string{false: "scalar String", true: "scalar Boolean"}[kind == rawjson.Boolean])
	}
	switch kind {
	case rawjson.Number:
		return scalar("Int", "Float")
	case rawjson.Boolean:
		return scalar("Boolean")
	case rawjson.String:
		return scalar("String", "ID")
	case rawjson.Array:
		return got("array")
	}
	if base.Kind != resolve.CustomObject {
		return got("object")
	}
	return misfitObject(value, base.Object)
}

func misfitList(value []byte, kind rawjson.Kind, t *metadata.GraphQLType, base *resolve.CustomType) string {
	if kind != rawjson.Array {
		return "expecting array for the action webhook response"
	}
	reason := ""
	_ = rawjson.Items(value, func(_ int, item []byte) error { // it was checked to be JSON
		if reason == "" {
			reason = misfit(item, t.Item, base)
		}
		return nil
	})
	return reason
}

func misfitObject(value []byte, t *metadata.ObjectType) string {
	fields := make(map[string]rawjson.Kind, len(t.Fields))
	_ = rawjson.Fields(value, func(key, member []byte) error { // it was checked to be JSON
		fields[string(key)] = rawjson.KindOf(member)
		return nil
	})
	for i := range t.Fields {
		f := &t.Fields[i]
		if !f.Type.NonNull {
			continue
		}
		switch kind, there := fields[f.Name]; {
		case !there:
			return fmt.Sprintf("field %q expected in webhook response, but not found", f.Name)
		case kind == rawjson.Null:
			return fmt.Sprintf("expecting not null value for field %q", f.Name)
		}
	}
	return ""
}
