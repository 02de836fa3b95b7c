package metadata

import "encoding/json"

// IsForeign reports whether the source is of a kind that this engine has no backend for.
// Nothing of it is known but its name and kind; it is inconsistent, and exported as given.
func (s *Source) IsForeign() bool { return s.Foreign != nil }

// isForeign reports whether the source is kept as given: its kind has no backend, or it is a source of a
// data connector that has the name of a kind.
func (n *sourceName) isForeign() bool {
	k := KindNamed(n.Kind)
	return k == nil || k.Connector && isConnectorConfiguration(n.Configuration)
}

// isConnectorConfiguration reports whether a configuration has the form that all data connectors share.
func isConnectorConfiguration(raw json.RawMessage) bool {
	var keys map[string]json.RawMessage
	if json.Unmarshal(raw, &keys) != nil {
		return false
	}
	_, value := keys["value"]
	_, connection := keys["connection_info"]
	return value && !connection
}

// sourceFields is Source without its way of reading and writing itself.
type sourceFields Source

// sourceName is what every source has, whatever its kind.
type sourceName struct {
	Name string `json:"name" meta:"required,nonempty"`
	Kind string `json:"kind" meta:"default=postgres"`
	// Configuration is only looked at for its form.
	Configuration json.RawMessage `json:"configuration"`
}

// decode reads a source with all checks. One of a foreign kind is only looked at for its
// name: its tables and configuration have forms of their own.
func (s *Source) decode(raw json.RawMessage) error {
	var head sourceName
	if err := decode(raw, &head); err != nil {
		return err
	}
	if head.isForeign() {
		s.setForeign(head, raw)
		return nil
	}
	if err := decode(raw, (*sourceFields)(s)); err != nil {
		return err
	}
	return s.check()
}

// UnmarshalJSON reads a source that was checked when it came.
func (s *Source) UnmarshalJSON(raw []byte) error {
	var head sourceName
	if err := json.Unmarshal(raw, &head); err != nil {
		return err
	}
	if head.Kind != "" && head.isForeign() {
		s.setForeign(head, raw)
		return nil
	}
	return json.Unmarshal(raw, (*sourceFields)(s))
}

func (s *Source) setForeign(head sourceName, raw json.RawMessage) {
	*s = Source{Name: head.Name, Kind: head.Kind, Tables: []*Table{}, Foreign: compact(raw)}
}

// MarshalJSON is the source as it is exported.
func (s *Source) MarshalJSON() ([]byte, error) {
	if s.IsForeign() {
		return s.Foreign, nil
	}
	raw, err := Encode((*sourceFields)(s))
	if k := KindNamed(s.Kind); err == nil && k != nil && k.Datasets {
		return withDatasets(raw)
	}
	return raw, err
}

// Shape has the keys of a source in its place.
func (s *Source) Shape() any { return sourceFields{} }

// kindOfSource is the kind of raw, which should be a source; "" when it is unknown.
func kindOfSource(raw json.RawMessage) string {
	var head sourceName
	if decode(raw, &head) == nil {
		if k := KindNamed(head.Kind); k != nil {
			return k.Name
		}
	}
	return ""
}

// foreignSource reports whether raw, which should be a source, is of a foreign kind.
func foreignSource(raw json.RawMessage) bool {
	var head sourceName
	return decode(raw, &head) == nil && head.isForeign()
}
