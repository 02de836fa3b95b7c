package execute

import (
	"bytes"
	"context"
	"encoding/json"

	"queryengine/pkg/apierror"
)

// explanation is how the database would answer one root field.
type explanation struct {
	Field string   `json:"field"`
	SQL   *string  `json:"sql"`
	Plan  []string `json:"plan"`
}

// Explain is the JSON of the explanations of all root fields, after Bind. Nothing is run.
func (p *Prepared) Explain(ctx context.Context, r *Run) ([]byte, error) {
	if err := p.explainable(); err != nil {
		return nil, err
	}
	list := []explanation{}
	bound := r.Bound
	for i := range p.pieces {
		switch part := &p.pieces[i]; {
		case part.query != nil:
			n := part.query.bindings.Len()
			e, err := part.query.explain(ctx, r, bound[:n:n])
			if err != nil {
				return nil, err
			}
			bound = bound[n:]
			list = append(list, e)
		case part.introspect != nil:
			list = append(list, explanation{Field: part.introspect.Alias})
		case len(part.constants) > 0:
			for _, field := range part.constants {
				list = append(list, explanation{Field: field})
			}
		default:
			if c, ok := part.remote.(*callResult); ok {
				list = append(list, explanation{Field: c.Field})
			}
		}
	}
	return encode(list)
}

var errExplainedJoins = apierror.New(apierror.InvalidParams, "queries with remote relationships cannot be explained")

// explainable refuses root fields that no statement answers, and those whose answers are joined
// with others. Calls of actions are looked up elsewhere, and nothing is explained of them.
func (p *Prepared) explainable() error {
	if len(p.lookups) > 0 {
		return errExplainedJoins
	}
	for i := range p.pieces {
		switch c := p.pieces[i].remote.(type) {
		case *callResult:
			if !c.Related {
				return apierror.New(apierror.NotSupported, "async action query fields without relationships to table cannot be explained")
			}
			continue
		case *actionCall:
			return apierror.New(apierror.InvalidParams, "query actions cannot be explained")
		}
		if p.pieces[i].joins != nil {
			return errExplainedJoins
		}
		if p.pieces[i].remote != nil {
			return apierror.New(apierror.InvalidParams, "only engine queries can be explained")
		}
	}
	return nil
}

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false) // SQL is full of < and >
	err := encoder.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

func (q *query) explain(ctx context.Context, r *Run, bound [][]byte) (explanation, error) {
	source, err := r.Sources.Use(q.source)
	if err != nil {
		return explanation{}, err
	}
	defer source.Release()
	sql, lines, err := source.Explain(ctx, q.statement, r.args(bound))
	return explanation{Field: q.field, SQL: &sql, Plan: lines}, err
}
