package runsql

import (
	"fmt"
	"slices"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
)

// Follow returns the document that fits the catalog after the text ran. schema is the
// state before it, resolved against the catalog before; build resolves a document against
// the catalogs of schema. Objects that lost what they need are dropped with cascade, else
// refused as a dependency-error.
func Follow(
	schema *resolve.Schema, source string, before, after *catalog.Source, cascade bool,
	build func(*metadata.Document) *resolve.Schema,
) (*metadata.Document, error) {
	meta := schema.Document.Source(source)
	d := compare(meta, before, after)
	dependents := schema.Dependents(d.dropped...)
	if len(dependents) > 0 && !cascade {
		return nil, metadata.DependencyError(schema, dependents)
	}
	if err := d.checkFunctions(dependents); err != nil {
		return nil, err
	}
	if err := d.checkTypes(schema, dependents); err != nil {
		return nil, err
	}
	doc := schema.Document
	if gone := slices.Concat(d.dropped, dependents); len(gone) > 0 {
		doc = doc.Without(gone...)
		schema = build(doc)
	}
	if len(d.renames.Tables) == 0 && len(d.renames.Columns) == 0 {
		return doc, nil
	}
	if err := d.checkNames(schema); err != nil {
		return nil, err
	}
	return schema.Rename(d.renames)
}

// checkFunctions refuses overloads of the functions that metadata names, and those that
// became VOLATILE. Objects in gone don't count.
func (d *difference) checkFunctions(gone []metadata.ObjectID) error {
	var overloaded []string
	for _, f := range d.functions {
		if len(f.overloads) > 1 && d.source.Function(f.name) != nil {
			overloaded = append(overloaded, d.source.Display(f.name))
		}
	}
	if len(overloaded) > 0 {
		return apierror.New(apierror.NotSupported,
			"the following tracked function(s) cannot be overloaded: "+strings.Join(overloaded, ", "))
	}
	for _, f := range d.functions {
		if err := d.checkFunction(f, gone); err != nil {
			return err
		}
	}
	return nil
}

func (d *difference) checkFunction(f changedFunction, gone []metadata.ObjectID) error {
	volatile := f.before.Volatility != catalog.Volatile &&
		slices.ContainsFunc(f.overloads, func(o *catalog.Function) bool {
			return o.Is(f.before) && o.Volatility == catalog.Volatile
		})
	if m := d.source.Function(f.name); m != nil && volatile && !exposedAsMutation(m) {
		return apierror.Newf(apierror.NotSupported,
			`type of function %q is altered to "VOLATILE" which is not supported now`, d.source.Display(f.name))
	}
	for _, t := range d.source.Tables {
		for _, field := range t.ComputedFields {
			if field.Definition.Function != f.name || slices.Contains(gone, d.id(metadata.ObjectComputedField, t.Table, field.Name)) {
				continue
			}
			if len(f.overloads) > 1 {
				return apierror.Newf(apierror.NotSupported,
					"The function %q associated with computed field%q of table %q is being overloaded", d.source.Display(f.name), field.Name, d.source.Display(t.Table))
			}
			if volatile {
				return apierror.Newf(apierror.NotSupported,
					`The type of function %q associated with computed field %q of table %q is being altered to "VOLATILE"`,
					d.source.Display(f.name), field.Name, d.source.Display(t.Table))
			}
		}
	}
	return nil
}

func exposedAsMutation(f *metadata.Function) bool {
	return f.Configuration != nil && f.Configuration.ExposedAs == "mutation"
}

// checkTypes refuses to change the type of a column while something depends on it.
func (d *difference) checkTypes(schema *resolve.Schema, gone []metadata.ObjectID) error {
	for _, column := range d.retyped {
		dependents := slices.DeleteFunc(schema.TypeDependents(column), func(id metadata.ObjectID) bool {
			return slices.Contains(gone, id)
		})
		if len(dependents) == 0 {
			continue
		}
		texts := make([]string, len(dependents))
		for i, id := range dependents {
			texts[i] = schema.Describe(id)
		}
		return apierror.New(apierror.DependencyError, fmt.Sprintf(
			"cannot change type of column %q in table %q because of the following dependencies: %s",
			column.Name, d.source.Display(column.Table), strings.Join(texts, ", ")))
	}
	return nil
}

// checkNames refuses the new name of a table when a root field has it.
func (d *difference) checkNames(schema *resolve.Schema) error {
	source := schema.Source(d.source.Name)
	if source == nil {
		return nil
	}
	taken := map[string]bool{}
	for _, t := range source.Tables {
		if t.Name == "" || t.RootFields == nil {
			continue
		}
		if _, renamed := d.renames.Tables[t.Meta.Table]; !renamed {
			taken[t.RootFields.Select.Name] = true
		}
	}
	for _, f := range source.Functions {
		taken[f.Field.Name] = true
	}
	for _, t := range source.Tables {
		to, renamed := d.renames.Tables[t.Meta.Table]
		if !renamed || t.Meta.Configuration != nil && t.Meta.Configuration.CustomName != "" {
			continue
		}
		if taken[to.Name] && source.BaseName(to) == to.Name {
			return apierror.Newf(apierror.RemoteSchemaConflicts, "node %s already exists in current graphql schema", source.Meta.Display(to))
		}
	}
	return nil
}
