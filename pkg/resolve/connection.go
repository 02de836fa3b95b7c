package resolve

import (
	"fmt"

	"queryengine/pkg/metadata"
)

// ConnectionField is the root field of the Relay schema that reads the table page by page.
func (t *Table) ConnectionField() RootField {
	h := t.Source.head
	return RootField{
		Name: h.wrapRoot(h.convention.field("", t.base.id, "connection")),
		text: "fetch data from the table: %q", of: t.Display(),
	}
}

// ConnectionField is the root field of the Relay schema that reads the function's result page
// by page.
func (f *Function) ConnectionField() RootField {
	config := metadata.FunctionConfiguration{}
	if c := f.Meta.Configuration; c != nil {
		config = *c
	}
	h := f.Source.head
	description := fmt.Sprintf("execute function %q which returns %q", h.display(f.Catalog.Name), f.Returns.Display())
	return RootField{
		Name:    h.wrapRoot(h.convention.field("", h.identify(f.Catalog.Name, config.CustomName), "connection")),
		comment: &description,
	}
}
