package execute

import (
	"queryengine/pkg/backend"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/plan"
)

// Commenter makes the comment of the statements that a root field has for a source; nil for
// none.
type Commenter func(source *resolve.Source, field string) *backend.Comment

// options are how the statements of a root field are rendered.
type options struct {
	render  backend.RenderOptions
	comment Commenter
	field   string
}

// of are the options for a source.
func (o options) of(source *resolve.Source) backend.RenderOptions {
	if o.comment != nil {
		o.render.Comment = o.comment(source, o.field)
	}
	return o.render
}

// liveField is the first root field of a subscription, which lends its name to the statement
// that answers all of them.
func liveField(p *plan.Plan) string {
	for _, part := range p.Parts {
		if name := part.RootField(); name != "" {
			return name
		}
	}
	return ""
}

// args are the values of a statement with these operands.
func (r *Run) args(bound [][]byte) backend.Args {
	return backend.Args{Variables: bound, Session: r.Session, Lookups: r.lookups, RequestID: r.RequestID, Operation: r.Operation, Scan: &r.Scan, ReadOnly: r.ReadOnly}
}
