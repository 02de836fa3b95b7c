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
	for _, piece := range p.pieces {
		switch piece := piece.(type) {
		case *queryPiece:
			n := piece.bindings.Len()
			e, err := piece.explain(ctx, r, bound[:n:n])
			if err != nil {
				return nil, err
			}
			bound = bound[n:]
			list = append(list, e)
		case *introspectionPiece:
			list = append(list, explanation{Field: piece.field.Alias})
		case *textPiece:
			for _, field := range piece.constants {
				list = append(list, explanation{Field: field})
			}
		case *callPiece:
			if c := callResultOf(piece); c != nil {
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
	for _, piece := range p.pieces {
		if call, ok := piece.(*callPiece); ok {
			if err := call.explainable(); err != nil {
				return err
			}
		} else if piece.joined() != nil {
			return errExplainedJoins
		}
	}
	return nil
}

func (p *callPiece) explainable() error {
	switch c := p.rootCall.(type) {
	case *callResult:
		if !c.Related {
			return apierror.New(apierror.NotSupported, "async action query fields without relationships to table cannot be explained")
		}
		return nil
	case *actionCall:
		return apierror.New(apierror.InvalidParams, "query actions cannot be explained")
	}
	if p.joins != nil {
		return errExplainedJoins
	}
	return apierror.New(apierror.InvalidParams, "only engine queries can be explained")
}

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false) // SQL is full of < and >
	err := encoder.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

func (q *query) explain(ctx context.Context, r *Run, bound [][]byte) (explanation, error) {
	source, err := r.Sources.Named(q.from)
	if err != nil {
		return explanation{}, err
	}
	defer source.Release()
	sql, lines, err := source.Explain(ctx, q.statement, r.args(bound))
	return explanation{Field: q.field, SQL: &sql, Plan: lines}, err
}
