package metadata

// unusedParts warn of what a document may hold, and keeps, without any effect.
func (d *Document) unusedParts() []Warning {
	var list []Warning
	if !saysNothing(d.BackendConfigs) {
		list = append(list, unusedPart("backend_configs", "backend_configs", "there are no agents of connectors"))
	}
	for _, s := range d.Sources {
		list = append(list, s.unusedParts()...)
	}
	return list
}

func (s *Source) unusedParts() []Warning {
	var list []Warning
	if len(s.StoredProcedures) > 0 {
		list = append(list, unusedPart("stored_procedures", s.Name, "a PostgreSQL source has none"))
	}
	return append(list, s.Configuration.unusedParts(s.Name)...)
}

func (c *SourceConfiguration) unusedParts(source string) []Warning {
	if c.ExtensionsSchema == "" {
		return nil
	}
	return []Warning{unusedPart("extensions_schema", source, "the engine installs no extensions")}
}

func unusedPart(part, name, why string) Warning {
	return Warning{Message: part + " is kept and has no effect: " + why, Type: "metadata", Name: name, Code: "no-effect"}
}
