package casetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/services/query-executor/internal/plan"
	"queryengine/services/query-executor/internal/plan/action"
	"queryengine/services/query-executor/internal/plan/answer"
	"queryengine/services/query-executor/internal/plan/read"
	"queryengine/services/query-executor/internal/plan/remote"
	"queryengine/services/query-executor/internal/plan/request"
	"queryengine/services/query-executor/internal/plan/write"
)

// Dump writes a plan as JSON: its texts, and what it reads and writes.
func Dump(t testing.TB, p *plan.Plan, values [][]byte) []byte {
	t.Helper()
	d := dumper{&strings.Builder{}}
	d.text("[")
	for i, part := range p.Parts {
		if i > 0 {
			d.text(",")
		}
		switch part := part.(type) {
		case *read.Query:
			d.value(reflect.ValueOf(part.Root))
			d.joins(part.Joins)
		case *write.Write:
			d.value(reflect.ValueOf(mutations(t, part, values)))
			d.joins(part.Joins)
		case *answer.Introspection:
			d.text(`{"is":"Introspection"}`)
		case *answer.Joined:
			fmt.Fprintf(d, "%q", part.Text)
			d.joins(part.Joins)
		case *answer.Text:
			fmt.Fprintf(d, "%q", part.Text)
		case *remote.Query:
			d.remote(part.Request.Document, part.Request.Variables)
			d.joins(part.Joins)
		case *action.Call:
			inputs, err := part.Inputs.JSON(values)
			if err != nil {
				inputs = []byte(apierror.From(err).Message)
			}
			fmt.Fprintf(d, `{"is":"ActionCall","Action":%q,"Inputs":%q}`, part.Action.Meta.Name, inputs)
			d.joins(part.Joins)
		default:
			require.Fail(t, "a part that no case has had", "%T", part)
		}
	}
	d.text("]")
	var indented bytes.Buffer
	require.NoError(t, json.Indent(&indented, []byte(d.String()), "", " "), d.String())
	return indented.Bytes()
}

// mutations are the statements of a root field that write, those of an insert for the rows of
// each of its tables together.
func mutations(t testing.TB, w *write.Write, values [][]byte) []ir.Mutation {
	t.Helper()
	var list []ir.Mutation
	switch work := w.Work.(type) {
	case *write.Steps:
		for _, s := range work.List {
			list = append(list, s.Mutation)
		}
	case *write.Insert:
		rows, err := work.Read(values)
		if err != nil {
			return nil // it has values that aren't any
		}
		for i, n := range work.Nodes {
			s := work.Statement(rows, i, 0, rows.Node(i).Count, w.Bindings.Len())
			out := ir.Output{Returning: n.Keys}
			if i == 0 && len(work.Nodes) > 1 {
				out.Handed, out.Objects = len(work.Objects) > 0, work.Objects
			}
			list = append(list, s.IR(out))
		}
	}
	return list
}

// dumper writes structs as objects that begin with their type, without the members that are zero,
// and without estimates, which differ between databases.
type dumper struct{ *strings.Builder }

func (d dumper) text(s string) { d.WriteString(s) }

// joins are requests to other sources, each after what it is joined to.
func (d dumper) joins(list []answer.Member) {
	for _, m := range list {
		d.joins(m.Below)
		if j := m.Join; j != nil {
			if j.Query != nil {
				d.text(",")
				d.value(reflect.ValueOf(j.Query.Root))
			}
			if j.Remote != nil {
				d.text(",")
				fmt.Fprintf(d, `{"is":"RemoteCall","Texts":%q}`, strings.Join(j.Remote.Texts(), " "))
			}
			d.joins(j.Joins)
		}
	}
}

// remote is a request to a remote.
func (d dumper) remote(document string, variables []request.Variable) {
	fmt.Fprintf(d, `{"is":"RemoteQuery","Document":%q,"Variables":[`, document)
	for i := range variables {
		if i > 0 {
			d.text(",")
		}
		fmt.Fprintf(d, "%q", variables[i].Name+": "+variables[i].Type)
	}
	d.text("]}")
}

func (d dumper) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			d.text("null")
			return
		}
		d.value(v.Elem())
	case reflect.Slice:
		if name := v.Type().Name(); name != "" { // one of several that a field can hold
			fmt.Fprintf(d, `{"is":%q,"of":`, name)
			defer d.text("}")
		}
		d.text("[")
		for i := range v.Len() {
			if i > 0 {
				d.text(",")
			}
			d.value(v.Index(i))
		}
		d.text("]")
	case reflect.Struct:
		d.object(v)
	case reflect.String:
		fmt.Fprintf(d, "%q", v.String())
	default:
		fmt.Fprint(d, v.Interface())
	}
}

func (d dumper) object(v reflect.Value) {
	switch known := v.Interface().(type) {
	case catalog.Name:
		fmt.Fprintf(d, "%q", known.Display("public"))
		return
	case catalog.Type:
		fmt.Fprintf(d, "%q", known.Name+strings.Repeat("[]", known.Dims))
		return
	}
	fmt.Fprintf(d, `{"is":%q`, v.Type().Name())
	for i := range v.NumField() {
		if f := v.Field(i); !f.IsZero() && v.Type().Field(i).Name != "Estimate" {
			fmt.Fprintf(d, ",%q:", v.Type().Field(i).Name)
			d.value(f)
		}
	}
	d.text("}")
}
