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

// LogValue is what the service runs with, for the line that it starts with. Of a secret it
// only says whether it is set.
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

// shownName is the name of the setting beside its value: that of the flag, but of a flag that says
// no to what is on by default that of the variable, which the value belongs to.
func (s *Spec) shownName() string {
	if s.Switch && s.Default == "true" {
		return strings.ToLower(s.Variable)
	}
	return strings.ReplaceAll(s.Flag, "-", "_")
}
