package execute

import (
	"context"

	"queryengine/pkg/backend"
)

// liveExplanation is how the database would answer a subscription.
type liveExplanation struct {
	SQL       *string       `json:"sql"`
	Plan      []string      `json:"plan"`
	Variables liveVariables `json:"variables"`
}

// liveVariables are the values of a cohort, by where they come from.
type liveVariables struct {
	Session   map[string]string  `json:"session"`
	Query     map[string]*string `json:"query"`
	Synthetic []*string          `json:"synthetic"`
	Cursor    map[string]*string `json:"cursor"`
}

// ExplainLive is the JSON of the explanation of a subscription, after Bind. Nothing is run.
func (p *Prepared) ExplainLive(ctx context.Context, r *Run) ([]byte, error) {
	out := liveExplanation{Variables: liveVariables{
		Session: map[string]string{}, Query: map[string]*string{}, Synthetic: []*string{}, Cursor: map[string]*string{},
	}}
	if err := p.explainable(); err != nil {
		return nil, err
	}
	l := p.live
	if l == nil {
		return encode(out)
	}
	values, err := l.Values(r)
	if err != nil {
		return nil, err
	}
	l.describe(&out.Variables, values, r)
	use, err := r.Sources.Named(l.Source)
	if err != nil {
		return nil, err
	}
	defer use.Release()
	if source, ok := use.Source.(backend.LiveSource); ok {
		if out.Plan, err = source.ExplainLive(ctx, l.Statement, values); err != nil {
			return nil, err
		}
	}
	sql := l.Statement.SQL()
	out.SQL = &sql
	return encode(out)
}

// describe sorts the values of a cohort by where they come from.
func (l *Live) describe(out *liveVariables, values [][]byte, r *Run) {
	for i, c := range l.Statement.Columns() {
		var text *string
		if values[i] != nil {
			s := string(values[i])
			text = &s
		}
		name := ""
		if c.Variable >= 0 {
			name = l.bindings.Name(c.Variable)
		}
		switch {
		case l.Streaming && i == l.Cursor:
			out.Cursor[l.column] = text
		case c.Variable < 0 && c.Session == "":
			for k, v := range r.Session.Variables {
				out.Session[k] = v
			}
		case c.Variable < 0:
			out.Session[c.Session] = string(values[i])
		case name != "" && out.Query[name] == nil:
			out.Query[name] = text
		default:
			out.Synthetic = append(out.Synthetic, text)
		}
	}
}
