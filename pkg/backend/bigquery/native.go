package bigquery

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// ValidateNativeQuery has a dry run, which is free, look at the statement of a native query and at the types of its
// result.
func (s *Source) ValidateNativeQuery(ctx context.Context, q ir.NativeQuery) error {
	r := newRenderer(Dialect{}, backend.RenderOptions{})
	text := "SELECT * FROM " + r.nativeQuery(q) + " AS t0"
	if r.Err != nil {
		return r.Err
	}
	st := &statement{text: text, params: make([]param, len(r.Params))}
	args := &backend.Args{}
	for i, p := range r.Params {
		st.params[i] = param{Param: p}
		args.Variables = append(args.Variables, make([][]byte, max(0, p.Index+1-len(args.Variables)))...)
		args.Variables[p.Index] = sample(p.As.Type)
	}
	request, err := st.request(args)
	if err != nil {
		return err
	}
	result, err := s.tried(ctx, request)
	if failed := (*apiError)(nil); errors.As(err, &failed) && (failed.Status == http.StatusBadRequest || failed.Status == http.StatusNotFound) {
		return invalidQuery(failed.Message, text)
	}
	if err != nil && !s.client.options.Anonymous { // emulators may lack dry runs
		return queryError(ctx, err, text)
	}
	for _, f := range result.Schema.Fields {
		for _, c := range q.Columns {
			if c.Name == f.Name && !c.Embeds && !reads(c.Type, f.columnType()) {
				return invalidQuery(fmt.Sprintf("Return column %q has a type mismatch. The expected type is %q, but the actual type is %q.",
					c.Name, rowOf(c.Type).name, rowOf(f.columnType()).name), text)
			}
		}
	}
	return nil
}

// sample is a value of a type: NULL, where there is none that is valid everywhere. Some places of statements take no NULL.
func sample(t catalog.Type) []byte {
	switch row := rowOf(t); {
	case t.IsArray():
	case row.family == familyInteger, row.family == familyFloat, row.family == familyDecimal:
		return []byte("1")
	case row.family == familyText:
		return []byte{}
	case row.family == familyBoolean:
		return []byte("true")
	}
	return nil
}

// reads reports whether values of a type can be read as another one's: the same, or any number as a number.
func reads(as, from catalog.Type) bool {
	d := Dialect{}
	return as.Name == from.Name && as.IsArray() == from.IsArray() ||
		!as.IsArray() && !from.IsArray() && d.Scalar(as).Numeric && d.Scalar(from).Numeric
}

// invalidQuery reports a native query that BigQuery refuses, with its words for who tracks it.
func invalidQuery(message, text string) error {
	return apierror.New(apierror.ValidationFailed, "Failed to validate query").
		WithInternal(detail{Query: text, Error: errorDetail{Message: message}})
}
