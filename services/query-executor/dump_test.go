package queryexecutor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/catalog"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan"
	"queryengine/services/query-executor/internal/schema"
)

// requirePlan compares the plan of a case with want.ir.json, when there is one: it holds
// what the role's permissions add to the query.
func requirePlan(t *testing.T, e *Executor, dir string, q *request) {
	t.Helper()
	name := filepath.Join(dir, "want.ir.json")
	if readFile(t, name) == nil {
		return
	}
	op, err := parse.Parse(q.text, "", parse.Limits{})
	require.NoError(t, err)
	values, err := op.Values(nil, q.variables, parse.RefuseNull)
	require.NoError(t, err)
	p, err := plan.Build(op, e.state.Load().role(q.session.Role, schema.Options{}), values, plan.Options{Limits: plan.DefaultLimits})
	require.NoError(t, err)
	var b strings.Builder
	b.WriteByte('[')
	for i, part := range p.Parts {
		if i > 0 {
			b.WriteByte(',')
		}
		switch {
		case part.Query != nil:
			dump(&b, reflect.ValueOf(part.Query.Root))
		case part.Write != nil:
			dump(&b, reflect.ValueOf(mutations(t, part.Write, values)))
		default:
			fmt.Fprintf(&b, "%q", part.Text)
		}
	}
	b.WriteByte(']')
	var indented bytes.Buffer
	require.NoError(t, json.Indent(&indented, []byte(b.String()), "", " "))
	requireFile(t, name, indented.Bytes())
}

// dump writes a plan as JSON: structs as objects that begin with their type, without the
// members that are zero, and without estimates, which differ between databases.
func dump(b *strings.Builder, v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			b.WriteString("null")
			return
		}
		dump(b, v.Elem())
	case reflect.Slice:
		b.WriteByte('[')
		for i := range v.Len() {
			if i > 0 {
				b.WriteByte(',')
			}
			dump(b, v.Index(i))
		}
		b.WriteByte(']')
	case reflect.Struct:
		switch known := v.Interface().(type) {
		case catalog.Name:
			fmt.Fprintf(b, "%q", known)
			return
		case catalog.Type:
			fmt.Fprintf(b, "%q", known.Name+strings.Repeat("[]", known.Dims))
			return
		}
		fmt.Fprintf(b, `{"is":%q`, v.Type().Name())
		for i := range v.NumField() {
			if f := v.Field(i); !f.IsZero() && v.Type().Field(i).Name != "Estimate" {
				fmt.Fprintf(b, ",%q:", v.Type().Field(i).Name)
				dump(b, f)
			}
		}
		b.WriteByte('}')
	case reflect.String:
		fmt.Fprintf(b, "%q", v.String())
	default:
		fmt.Fprint(b, v.Interface())
	}
}
