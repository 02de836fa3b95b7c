package metadata

// unusedParts warn of what a document may hold, and keeps, without any effect.
func (d *Document) unusedParts(kinds Kinds) []Warning {
	var list []Warning
	if !saysNothing(d.BackendConfigs) {
		list = append(list, unusedPart("backend_configs", "backend_configs", "there are no agents of connectors"))
	}
	for _, s := range d.Sources {
		list = append(list, s.unusedParts(kinds[s.Kind])...)
	}
	return list
}

func (s *Source) unusedParts(k *Kind) []Warning {
	var list []Warning
	if len(s.StoredProcedures) > 0 && !k.Can(StoredProcedures) {
		list = append(list, unusedPart("stored_procedures", s.Name, "a source of "+k.Display+" has none"))
	}
	if len(s.PublishedChanges) > 0 && !k.Can(Publications) {
		list = append(list, unusedPart("published_changes", s.Name, "a source of "+k.Display+" publishes none"))
	}
	return append(list, k.unusedKeys(s)...)
}

func unusedPart(part, name, why string) Warning {
	return Warning{Message: part + " is kept and has no effect: " + why, Type: "metadata", Name: name, Code: "no-effect"}
}
