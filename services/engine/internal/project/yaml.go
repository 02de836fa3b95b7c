package project

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"
)

const (
	includeTag = "!include"
	// includeDepth bounds files that include each other.
	includeDepth = 16
)

// loadYAML reads a file as JSON, with what it includes in place. The order of keys stays.
func loadYAML(files fs.FS, name string) (json.RawMessage, error) {
	node, err := parseYAML(files, name, 0)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := appendJSON(&b, node); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return b.Bytes(), nil
}

func parseYAML(files fs.FS, name string, depth int) (*yaml.Node, error) {
	if depth > includeDepth {
		return nil, fmt.Errorf("%s: files include each other", name)
	}
	text, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, err
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(document.Content) == 0 {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}, nil
	}
	return document.Content[0], include(files, document.Content[0], name, depth)
}

// include puts the content of files instead of !include, which is a tag, or the
// beginning of a text.
func include(files fs.FS, n *yaml.Node, file string, depth int) error {
	if n.Kind == yaml.ScalarNode {
		target := ""
		if n.Tag == includeTag {
			target = n.Value
		} else if rest, ok := strings.CutPrefix(n.Value, includeTag+" "); ok {
			target = rest
		}
		if target == "" {
			return nil
		}
		name := path.Join(path.Dir(file), strings.TrimSpace(target))
		included, err := parseYAML(files, name, depth+1)
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: line %d includes %s, which is not there", file, n.Line, name)
		}
		if err != nil {
			return err
		}
		*n = *included
		return nil
	}
	for _, child := range n.Content {
		if err := include(files, child, file, depth); err != nil {
			return err
		}
	}
	return nil
}

func appendJSON(b *bytes.Buffer, n *yaml.Node) error {
	switch n.Kind {
	case yaml.AliasNode:
		return appendJSON(b, n.Alias)
	case yaml.MappingNode:
		b.WriteByte('{')
		for i := 0; i+1 < len(n.Content); i += 2 {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := appendValue(b, n.Content[i].Value); err != nil {
				return err
			}
			b.WriteByte(':')
			if err := appendJSON(b, n.Content[i+1]); err != nil {
				return err
			}
		}
		b.WriteByte('}')
		return nil
	case yaml.SequenceNode:
		b.WriteByte('[')
		for i, item := range n.Content {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := appendJSON(b, item); err != nil {
				return err
			}
		}
		b.WriteByte(']')
		return nil
	case yaml.ScalarNode:
		return appendScalar(b, n)
	}
	return fmt.Errorf("line %d: unexpected YAML", n.Line)
}

func appendScalar(b *bytes.Buffer, n *yaml.Node) error {
	switch n.ShortTag() {
	case "!!null", "!!bool", "!!int", "!!float":
		if json.Valid([]byte(n.Value)) {
			b.WriteString(n.Value)
			return nil
		}
		var v any
		if err := n.Decode(&v); err != nil {
			return fmt.Errorf("line %d: %w", n.Line, err)
		}
		return appendValue(b, v)
	}
	return appendValue(b, n.Value)
}

func appendValue(b *bytes.Buffer, v any) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1) // the line break
	return nil
}

// dumpYAML writes JSON as YAML, in the order of its keys.
func dumpYAML(raw json.RawMessage) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	n, err := nodeOf(d)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(n); err != nil {
		return nil, err
	}
	return b.Bytes(), e.Close()
}

func nodeOf(d *json.Decoder) (*yaml.Node, error) {
	token, err := d.Token()
	if errors.Is(err, io.EOF) {
		return nil, io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, err
	}
	switch t := token.(type) {
	case json.Delim:
		n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		if t == '[' {
			n = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		}
		for d.More() { // keys and values of an object alternate, as in the node
			child, err := nodeOf(d)
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, child)
		}
		if len(n.Content) == 0 {
			n.Style = yaml.FlowStyle
		}
		_, err := d.Token()
		return n, err
	case json.Number:
		tag := "!!int"
		if strings.ContainsAny(t.String(), ".eE") {
			tag = "!!float"
		}
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: t.String()}, nil
	case string:
		n := &yaml.Node{}
		n.SetString(t)
		if strings.HasPrefix(t, includeTag) {
			n.Style = yaml.DoubleQuotedStyle
		}
		return n, nil
	}
	n := &yaml.Node{}
	return n, n.Encode(token)
}
