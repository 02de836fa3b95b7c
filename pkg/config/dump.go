package config

import (
	"log/slog"
	"strings"
)

// WithoutEffect names the settings that were given and do nothing, for a warning.
func (v *Values) WithoutEffect() []string {
	var flags []string
	for _, s := range Table() {
		if _, given := v.set[s.Flag]; given && s.NoEffect {
			flags = append(flags, s.Flag)
		}
	}
	return flags
}

// LogValue is the service's configuration, for the line that it starts with. Of a secret it shows only
// whether it is set.
func (v *Values) LogValue() slog.Value {
	var attrs []slog.Attr
	for _, s := range Table() {
		if s.NoEffect || !s.ReadBy(v.service) {
			continue
		}
		text := v.text(s)
		_, given := v.set[s.Flag]
		switch {
		case s.Secret && given:
			text = "<" + strings.ReplaceAll(s.Flag, "-", " ") + " set>"
		case text == "":
			continue
		}
		attrs = append(attrs, slog.String(s.shownName(), text))
	}
	return slog.GroupValue(attrs...)
}

// shownName is the name of the setting next to its value: the name of the flag, except for a flag that
// disables what is enabled by default, where it is the variable that the value belongs to.
func (s *Spec) shownName() string {
	if s.Switch && s.Default == "true" {
		return strings.ToLower(s.Variable)
	}
	return strings.ReplaceAll(s.Flag, "-", "_")
}
