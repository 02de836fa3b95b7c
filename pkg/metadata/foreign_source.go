package metadata

import "encoding/json"

// IsForeign reports whether the source is of a kind that this engine has no backend for.
// Nothing of it is known but its name and kind; it is inconsistent, and exported as given.
func (s *Source) IsForeign() bool { return s.Foreign != nil }

// isForeignKind reports whether sources of this kind are kept as given.
func isForeignKind(name string) bool {
	k := KindNamed(name)
	return k == nil || !k.Available
}

// sourceFields is Source without its way of reading and writing itself.
type sourceFields Source

// sourceName is what every source has, whatever its kind.
type sourceName struct {
	Name string `json:"name" meta:"required,nonempty"`
	Kind string `json:"kind" meta:"default=postgres"`
}

// decode reads a source with all checks. One of a foreign kind is only looked at for its
// name: its tables and configuration have forms of their own.
func (s *Source) decode(raw json.RawMessage) error {
	var head sourceName
	if err := decode(raw, &head); err != nil {
		return err
	}
	if isForeignKind(head.Kind) {
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
	if head.Kind != "" && isForeignKind(head.Kind) {
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
	return Encode((*sourceFields)(s))
}

func (s *Source) Shape() any { return sourceFields{} }

// kindOfSource is the kind of raw, which is said to be a source; "" when it is unknown.
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
	return decode(raw, &head) == nil && isForeignKind(head.Kind)
}
