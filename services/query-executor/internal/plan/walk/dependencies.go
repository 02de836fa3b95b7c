package walk

import (
	"slices"

	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/schema"
)

// Dependencies are what the plan depends on.
type Dependencies struct {
	Tables    []*schema.Table
	Writes    []*schema.Writable
	Functions []Function
	Remotes   []*resolve.Remote
}

// Function is a function that a plan calls.
type Function struct {
	Source   *resolve.Source
	Function *catalog.Function
	// Meta is nil for the function of a computed field.
	Meta *metadata.Function
}

// Reads notes that the plan depends on a table and on what the role may read of it.
func (p *Walker) Reads(t *schema.Table) {
	if !slices.Contains(p.Tables, t) {
		p.Tables = append(p.Tables, t)
	}
}

// Calls notes that the plan depends on a function.
func (p *Walker) Calls(f *catalog.Function, meta *metadata.Function) {
	called := Function{Source: p.Source, Function: f, Meta: meta}
	if !slices.Contains(p.Functions, called) {
		p.Functions = append(p.Functions, called)
	}
}

// WritesTo notes that the plan depends on a table and on what the role may do with it.
func (p *Walker) WritesTo(w *schema.Writable) {
	if w.Readable {
		p.Reads(w.Table)
	}
	if !slices.Contains(p.Writes, w) {
		p.Writes = append(p.Writes, w)
	}
}

// DependOn notes that the plan depends on what the remote schema is.
func (p *Walker) DependOn(r *resolve.Remote) {
	for _, known := range p.Remotes {
		if known == r {
			return
		}
	}
	p.Remotes = append(p.Remotes, r)
}
