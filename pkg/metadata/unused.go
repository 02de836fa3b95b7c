package metadata

import (
	"encoding/json"
	"fmt"
)

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
	for _, t := range s.Tables {
		list = append(list, s.unusedOfTable(t)...)
	}
	for _, f := range s.Functions {
		list = append(list, s.unusedOfFunction(f)...)
	}
	return append(list, k.unusedKeys(s)...)
}

func (s *Source) unusedOfTable(t *Table) []Warning {
	if t.LogicalModel == "" {
		return nil
	}
	return []Warning{unusedPart("logical_model", tableText(s.Name, s.Display(t.Table)), "the columns of tables are those that the database has")}
}

func (s *Source) unusedOfFunction(f *Function) []Warning {
	if f.Configuration == nil || len(f.Configuration.Response) == 0 {
		return nil
	}
	return []Warning{unusedPart("response", fmt.Sprintf("function %s in source %s", s.Display(f.Function), s.Name), "a function returns what the database says")}
}

func unusedPart(part, name, why string) Warning {
	return Warning{Message: part + " is kept and has no effect: " + why, Type: "metadata", Name: name, Code: "no-effect"}
}

// replyOf warns of something in the answer; nil when there is nothing to say.
func replyOf(warnings []Warning) func(View) (json.RawMessage, error) {
	if len(warnings) == 0 {
		return nil
	}
	return func(View) (json.RawMessage, error) { return SuccessWith(warnings) }
}
