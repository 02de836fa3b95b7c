package remoteschema

import (
	"errors"
	"fmt"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"queryengine/pkg/apierror"
)

// Restrict is the part of the schema that the document of a permission describes: types in
// GraphQL's schema language, under the names at the remote, in which types, fields, optional
// arguments, enum values, members of unions and interfaces of objects may be left out.
// Descriptions that are left out are those of s. The error lists all faults.
func (s *Schema) Restrict(sdl string) (*Schema, error) {
	parsed, err := parseSDL(sdl)
	if err != nil {
		return nil, err
	}
	p := &permission{upstream: s, presets: map[string]map[string][]*Preset{}, declared: map[string]*ast.Definition{}}
	for _, d := range parsed.Definitions {
		p.declared[d.Name] = d
	}
	doc := p.roots(parsed)
	var names []string
	for _, d := range parsed.Definitions {
		names = append(names, d.Name)
	}
	if twice := repeated(names); len(twice) > 0 {
		p.faultf("duplicate type names found: %s", conjunction(twice))
	}
	for _, d := range parsed.Definitions {
		if !IsBuiltIn(d.Name) {
			p.define(d)
		}
	}
	if len(p.faults) > 0 {
		return nil, p.error()
	}
	doc.definitions = parsed.Definitions
	doc.addScalars(s)
	restricted, err := doc.link()
	if err != nil {
		return nil, asPermissionFault(err)
	}
	p.finish(restricted)
	p.fillPresets(restricted)
	return restricted, nil
}

// permission compares the document of a permission with the schema of the remote.
type permission struct {
	upstream *Schema
	declared map[string]*ast.Definition
	// presets by the name of the type and, for fields of objects, of the field.
	presets map[string]map[string][]*Preset
	faults  []string
}

func (p *permission) faultf(format string, args ...any) {
	p.faults = append(p.faults, fmt.Sprintf(format, args...))
}

const invalidPermission = "validation for the given role-based schema failed "

func (p *permission) error() error {
	if len(p.faults) == 1 {
		return apierror.New(apierror.ValidationFailed, invalidPermission+"because "+p.faults[0])
	}
	var b strings.Builder
	b.WriteString(invalidPermission + "for the following reasons:\n")
	for _, f := range p.faults {
		b.WriteString(" • " + f + "\n")
	}
	return apierror.New(apierror.ValidationFailed, b.String())
}

// asPermissionFault is a fault of the restricted schema as a whole.
func asPermissionFault(err error) error {
	var e *apierror.Error
	if errors.As(err, &e) {
		return (&permission{faults: []string{e.Message}}).error()
	}
	return err
}

// roots finds the root types. Without a definition of the schema, only the query root is
// taken.
func (p *permission) roots(parsed *ast.SchemaDocument) *document {
	doc := &document{query: "Query"}
	switch {
	case len(parsed.Schema) > 1:
		p.faultf("multiple schema definitions found")
		return doc
	case len(parsed.Schema) == 1:
		doc.query = ""
		doc.setRoots(parsed.Schema)
	}
	if doc.query == "" || p.declared[doc.query] == nil {
		p.faultf("query root does not exist in the schema definition")
	}
	return doc
}

// addScalars adds the scalars of the remote that the definitions refer to without declaring
// them: there is nothing about a scalar that could be restricted.
func (d *document) addScalars(upstream *Schema) {
	known := map[string]bool{}
	for _, definition := range d.definitions {
		known[definition.Name] = true
	}
	add := func(t *ast.Type) {
		name := t.Name()
		if of := upstream.RemoteType(name); of != nil && of.Kind == Scalar && !known[name] {
			known[name] = true
			d.definitions = append(d.definitions, &ast.Definition{Kind: ast.Scalar, Name: name, Description: of.Description})
		}
	}
	for _, definition := range d.definitions {
		for _, f := range definition.Fields {
			add(f.Type)
			for _, a := range f.Arguments {
				add(a.Type)
			}
		}
	}
}

// finish gives the restricted schema its presets, and the descriptions that it lacks.
func (p *permission) finish(restricted *Schema) {
	for _, t := range restricted.Types {
		upstream := p.upstream.byRemote[t.Remote]
		t.Description = described(t.Description, upstream.Description)
		for _, f := range t.Fields {
			of := upstream.RemoteField(f.Remote)
			f.Description = described(f.Description, of.Description)
			f.Presets = p.presets[t.Remote][f.Remote]
			describeInputs(f.Args, of.Args)
		}
		t.Presets = p.presets[t.Remote][""]
		describeInputs(t.Inputs, upstream.Inputs)
		for _, v := range t.Values {
			v.Description = described(v.Description, upstream.Value(v.Name).Description)
		}
	}
}

func describeInputs(list, upstream []*Input) {
	for _, i := range list {
		i.Description = described(i.Description, input(upstream, i.Name).Description)
	}
}

func described(own, upstream string) string {
	if own == "" {
		return upstream
	}
	return own
}
