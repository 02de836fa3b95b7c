package project

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// actions writes actions and custom types.
func (w *writer) actions(actions, types json.RawMessage) {
	if w.err != nil {
		return
	}
	text, file, err := splitActions(actions, types)
	if err != nil {
		w.err = fmt.Errorf("actions: %w", err)
		return
	}
	w.file(actionsSDL, text)
	w.yaml(actionsFile, file)
}

// splitActions is the inverse of readActions.
func splitActions(rawActions, rawTypes json.RawMessage) (text []byte, file json.RawMessage, err error) {
	var list []json.RawMessage
	var types customTypes
	for _, part := range []struct {
		raw  json.RawMessage
		into any
	}{{rawActions, &list}, {rawTypes, &types}} {
		if part.raw == nil {
			continue
		}
		if err := json.Unmarshal(part.raw, part.into); err != nil {
			return nil, nil, err
		}
	}
	var sdl sdlWriter
	rest := make([]*ordered, 0, len(list))
	for _, raw := range list {
		action, err := decodeOrdered(raw)
		if err != nil {
			return nil, nil, err
		}
		var known struct {
			Name       string `json:"name"`
			Definition struct {
				Type      string      `json:"type"`
				Output    string      `json:"output_type"`
				Arguments []typeField `json:"arguments"`
			} `json:"definition"`
		}
		if err := json.Unmarshal(raw, &known); err != nil {
			return nil, nil, err
		}
		definition, err := decodeOrdered(action.raw("definition"))
		if err != nil {
			return nil, nil, err
		}
		definition.remove("type")
		definition.remove("output_type")
		definition.remove("arguments")
		action.set("definition", definition)
		rest = append(rest, action)
		d := known.Definition
		sdl.action(d.Type, known.Name, d.Arguments, d.Output)
	}
	sdl.types(types)
	o := &ordered{}
	o.set("actions", rest)
	o.set("custom_types", types.withoutSDL())
	file, err = o.encode()
	return sdl.out.Bytes(), file, err
}

// withoutSDL is what the YAML keeps of the types: names, and relationships.
func (t customTypes) withoutSDL() customTypes {
	names := func(list []objectType) []objectType {
		out := make([]objectType, len(list))
		for i, o := range list {
			out[i] = objectType{namedType: namedType{Name: o.Name}, Relationships: o.Relationships}
		}
		return out
	}
	kept := customTypes{
		Enums: make([]enumType, len(t.Enums)), Scalars: make([]namedType, len(t.Scalars)),
		Objects: names(t.Objects), InputObjects: names(t.InputObjects),
	}
	for i, e := range t.Enums {
		kept.Enums[i].Name = e.Name
	}
	for i, s := range t.Scalars {
		kept.Scalars[i].Name = s.Name
	}
	return kept
}

// sdlWriter writes GraphQL type definitions.
type sdlWriter struct{ out bytes.Buffer }

func (w *sdlWriter) action(kind, name string, arguments []typeField, output string) {
	root := "Mutation"
	if kind == "query" {
		root = "Query"
	}
	fmt.Fprintf(&w.out, "type %s {\n  %s", root, name)
	if len(arguments) > 0 {
		w.out.WriteString("(\n")
		for _, a := range arguments {
			w.described("    ", a.Description)
			fmt.Fprintf(&w.out, "    %s: %s\n", a.Name, a.Type)
		}
		w.out.WriteString("  )")
	}
	fmt.Fprintf(&w.out, ": %s\n}\n\n", output)
}

func (w *sdlWriter) types(t customTypes) {
	for _, o := range t.InputObjects {
		w.object("input", o)
	}
	for _, o := range t.Objects {
		w.object("type", o)
	}
	for _, e := range t.Enums {
		w.described("", e.Description)
		fmt.Fprintf(&w.out, "enum %s {\n", e.Name)
		for _, v := range e.Values {
			w.described("  ", v.Description)
			w.out.WriteString("  " + v.Value)
			if v.Deprecated {
				w.out.WriteString(" @deprecated")
			}
			w.out.WriteByte('\n')
		}
		w.out.WriteString("}\n\n")
	}
	for _, s := range t.Scalars {
		w.described("", s.Description)
		fmt.Fprintf(&w.out, "scalar %s\n\n", s.Name)
	}
}

func (w *sdlWriter) object(keyword string, o objectType) {
	w.described("", o.Description)
	fmt.Fprintf(&w.out, "%s %s {\n", keyword, o.Name)
	for _, f := range o.Fields {
		w.described("  ", f.Description)
		fmt.Fprintf(&w.out, "  %s: %s\n", f.Name, f.Type)
	}
	w.out.WriteString("}\n\n")
}

// described writes a description as a block text.
func (w *sdlWriter) described(indent, text string) {
	if text == "" {
		return
	}
	text = strings.ReplaceAll(text, `"""`, `\"""`)
	fmt.Fprintf(&w.out, "%s\"\"\"\n", indent)
	for line := range strings.SplitSeq(text, "\n") {
		fmt.Fprintf(&w.out, "%s%s\n", indent, line)
	}
	fmt.Fprintf(&w.out, "%s\"\"\"\n", indent)
}
