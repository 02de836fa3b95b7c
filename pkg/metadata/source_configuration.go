package metadata

import (
	"encoding/json"
	"reflect"

	"queryengine/pkg/apierror"
)

// Configuration describes how a source is reached, in the form of its kind. Documents hold its JSON.
// It is a pointer to a struct, which is read as the structs of this package are: a field takes its key
// from the json tag and its rules from the meta tag, and structs in it may be Checkers too.
type Configuration interface {
	Checker
	// Unused are the keys that are kept and have no effect.
	Unused() []UnusedKey
	// Connections bounds the connections of a process to the source; 0 for the default.
	Connections() int
	// Unsupported is why no source can have such a configuration, "" when one can.
	Unsupported() string
}

// UnusedKey is a key that has no effect, and why.
type UnusedKey struct{ Key, Why string }

// Checker looks at a struct after it was read, and may normalise it. The path of its error is
// relative.
type Checker interface{ Check() error }

// Kinds are the kinds that a program has backends for, by their names, with what those add.
type Kinds map[string]*Kind

// configuration checks a configuration and returns what documents hold of it. Without a backend
// that is what was given.
func (k *Kind) configuration(raw json.RawMessage) (json.RawMessage, error) {
	if k == nil || k.Configuration == nil {
		return raw, nil
	}
	c := k.Configuration()
	if err := decode(raw, c); err != nil {
		return nil, err
	}
	return Encode(c)
}

// configured is the configuration of a source of the kind, which was checked when it came; nil
// without a backend.
func (k *Kind) configured(s *Source) Configuration {
	if k == nil || k.Configuration == nil || len(s.Configuration) == 0 {
		return nil
	}
	c := k.Configuration()
	if err := json.Unmarshal(s.Configuration, c); err != nil {
		return nil
	}
	return c
}

// Unsupported is why a source of the kind can't have its configuration, "" when it can.
func (k *Kind) Unsupported(s *Source) string {
	if c := k.configured(s); c != nil {
		return c.Unsupported()
	}
	return ""
}

// Connections bounds the connections of a process to a source of the kind; 0 for the default.
func (k *Kind) Connections(s *Source) int {
	if c := k.configured(s); c != nil {
		return c.Connections()
	}
	return 0
}

// unusedKeys warn of what the configuration of a source holds without any effect.
func (k *Kind) unusedKeys(s *Source) []Warning {
	c := k.configured(s)
	if c == nil {
		return nil
	}
	var list []Warning
	for _, u := range c.Unused() {
		list = append(list, unusedPart(u.Key, s.Name, u.Why))
	}
	return list
}

// configurationKeys is the type that has the keys of configurations, nil for one without a backend.
func (k *Kind) configurationKeys() reflect.Type {
	if k == nil || k.Configuration == nil {
		return rawMessageType
	}
	return reflect.TypeOf(k.Configuration())
}

// configurationReply warns of what has no effect in a new configuration; nil when there is
// nothing to say.
func (v View) configurationReply(s *Source) func(View) (json.RawMessage, error) {
	return replyOf(v.Kinds[s.Kind].unusedKeys(s))
}

// checkConfigurations has the kinds check the configurations of the sources of a document.
func (d *Document) checkConfigurations(kinds Kinds) error {
	for i, s := range d.Sources {
		if s.IsForeign() {
			continue
		}
		var err error
		if s.Configuration, err = kinds[s.Kind].configuration(s.Configuration); err != nil {
			return apierror.At(err, "sources", i, "configuration")
		}
	}
	return nil
}
