package config

import "queryengine/pkg/completion"

// Options are the flags of a service, for the completion of command lines.
func Options(service Service) []completion.Option {
	list := []completion.Option{{Name: "--help", Help: "list the options", Switch: true}}
	for _, s := range Table() {
		if !s.ReadBy(service) {
			continue
		}
		o := completion.Option{Name: "--" + s.Flag, Help: s.Help, Switch: s.Switch, Values: s.Choices, List: s.List}
		if s.Values == boolean {
			o.Values = []string{"true", "false"}
		}
		list = append(list, o)
		if s.Short != "" {
			o.Name = "-" + s.Short
			list = append(list, o)
		}
	}
	return list
}
