package queryexecutor

import (
	"fmt"
	"net/http/httptest"
	"regexp"
	"testing"

	"github.com/graphql-go/graphql"
	"github.com/stretchr/testify/require"
)

// newAbstractServer is a server of a union and an interface of the same types, A, B and C, which have fields
// of the same names. It validates each document, overlapping fields included.
func newAbstractServer(t testing.TB) *remoteServer {
	t.Helper()
	var a, b, c *graphql.Object
	rows := map[string]thing{
		"1": {"is": "A", "id": "1", "name": "Ann", "n": 1, "o": "2", "only": "a"},
		"2": {"is": "B", "id": "2", "name": "Bob", "n": 1, "o": "1", "only": "b"},
		"3": {"is": "C", "id": "3", "name": "Cid", "n": 2, "o": "2", "only": "c"},
		"4": {"is": "B", "id": "4", "name": "Bea", "n": nil, "o": "3", "only": "b"},
		"5": {"is": "A", "id": "5", "name": "Abe", "n": 3, "only": "a"},
	}
	typeOf := func(p graphql.ResolveTypeParams) *graphql.Object {
		row, _ := p.Value.(thing)
		return map[any]*graphql.Object{"A": a, "B": b, "C": c}[row["is"]]
	}
	find := func(id any) any {
		if row, ok := rows[fmt.Sprint(id)]; ok {
			return row
		}
		return nil
	}
	key := func(p graphql.ResolveParams) (any, error) {
		row, _ := p.Source.(thing)
		return map[any]any{"A": 1, "B": row["n"], "C": "2"}[row["is"]], nil
	}
	node := graphql.NewInterface(graphql.InterfaceConfig{Name: "Node", ResolveType: typeOf, Fields: graphql.Fields{
		"id": {Type: graphql.ID}, "name": {Type: graphql.String},
	}})
	node.AddFieldConfig("o", &graphql.Field{Type: node})
	// What the types have under one name is of other types: the key, and an object.
	keyOf := map[string]graphql.Output{"A": graphql.NewNonNull(graphql.Int), "B": graphql.Int, "C": graphql.NewNonNull(graphql.ID)}
	object := func(name string) *graphql.Object {
		own := graphql.NewObject(graphql.ObjectConfig{Name: "Own" + name, Fields: graphql.Fields{"key": {Type: keyOf[name]}, "label": {Type: graphql.String}}})
		return graphql.NewObject(graphql.ObjectConfig{Name: name, Interfaces: []*graphql.Interface{node}, Fields: graphql.Fields{
			"id": {Type: graphql.ID}, "name": {Type: graphql.String}, "n": {Type: graphql.Int},
			"key": {Type: keyOf[name], Resolve: key},
			"own": {Type: graphql.NewNonNull(own), Resolve: func(p graphql.ResolveParams) (any, error) {
				k, err := key(p)
				return thing{"key": k, "label": "of " + name}, err
			}},
			"only" + name: {Type: graphql.String, Resolve: func(p graphql.ResolveParams) (any, error) {
				row, _ := p.Source.(thing)
				return row["only"], nil
			}},
			"o": {Type: node, Resolve: func(p graphql.ResolveParams) (any, error) {
				row, _ := p.Source.(thing)
				return find(row["o"]), nil
			}},
			"list": {Type: graphql.NewList(node), Resolve: func(p graphql.ResolveParams) (any, error) {
				row, _ := p.Source.(thing)
				return []any{find(row["o"]), rows["5"]}, nil
			}},
		}})
	}
	a, b, c = object("A"), object("B"), object("C")
	item := graphql.NewUnion(graphql.UnionConfig{Name: "Item", ResolveType: typeOf, Types: []*graphql.Object{a, b, c}})
	all := func(graphql.ResolveParams) (any, error) {
		return []any{rows["1"], rows["2"], rows["3"], rows["4"], rows["5"]}, nil
	}
	schema, err := graphql.NewSchema(graphql.SchemaConfig{Query: graphql.NewObject(graphql.ObjectConfig{Name: "Query", Fields: graphql.Fields{
		"items": {Type: graphql.NewNonNull(graphql.NewList(graphql.NewNonNull(item))), Resolve: all},
		"nodes": {Type: graphql.NewList(node), Resolve: all},
		"a": {Type: a, Args: graphql.FieldConfigArgument{"id": {Type: graphql.NewNonNull(graphql.ID)}}, Resolve: func(p graphql.ResolveParams) (any, error) {
			return map[any]any{"1": rows["1"], "2": rows["5"]}[p.Args["id"]], nil
		}},
		"node": {Type: node, Args: graphql.FieldConfigArgument{"id": {Type: graphql.ID}, "n": {Type: graphql.Int}}, Resolve: func(p graphql.ResolveParams) (any, error) {
			return map[any]any{nil: rows["1"], 1: rows["1"], 2: rows["2"], 3: rows["3"]}[p.Args["n"]], nil
		}},
	}}), Types: []graphql.Type{a, b, c}})
	require.NoError(t, err)
	s := &remoteServer{schema: schema}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

const keyed = `{"to_source":{"source":"default","table":{"schema":"public","name":"artist"},"relationship_type":"object","field_mapping":{"key":"id"}}}`

const abstractRemote = `[{"name":"abstract","definition":{},"remote_relationships":[
	{"type_name":"OwnA","relationships":[{"name":"keyed","definition":` + keyed + `}]},
	{"type_name":"OwnB","relationships":[{"name":"keyed","definition":` + keyed + `}]},
	{"type_name":"C","relationships":[{"name":"keyed","definition":` + keyed + `}]},
	{"type_name":"A","relationships":[{"name":"keyed","definition":` + keyed + `},
		{"name":"artist","definition":{"to_source":{"source":"default","table":{"schema":"public","name":"artist"},"relationship_type":"object","field_mapping":{"n":"id"}}}},
		{"name":"albums","definition":{"to_source":{"source":"default","table":{"schema":"public","name":"album"},"relationship_type":"array","field_mapping":{"n":"artist_id"}}}},
		{"name":"twin","definition":{"to_remote_schema":{"remote_schema":"abstract","lhs_fields":["n"],"remote_field":{"node":{"arguments":{"n":"$n"}}}}}}]},
	{"type_name":"B","relationships":[{"name":"keyed","definition":` + keyed + `},
		{"name":"artist","definition":{"to_source":{"source":"default","table":{"schema":"public","name":"artist"},"relationship_type":"object","field_mapping":{"n":"id"}}}},
		{"name":"pair","definition":{"to_source":{"source":"default","table":{"schema":"public","name":"artist"},"relationship_type":"object","field_mapping":{"n":"id","name":"name"}}}},
		{"name":"twin","definition":{"to_remote_schema":{"remote_schema":"abstract","lhs_fields":["n"],"remote_field":{"node":{"arguments":{"n":"$n"}}}}}},
		{"name":"fixed","definition":{"to_remote_schema":{"remote_schema":"abstract","lhs_fields":[],"remote_field":{"node":{"arguments":{"n":2}}}}}}]}]}]`

// TestSharedResponseNames: what a query on an interface or a union selects of different types under one
// name is what it selects under several. The queries number the names.
func TestSharedResponseNames(t *testing.T) {
	t.Parallel()
	server := newAbstractServer(t)
	e := newRemote(t, abstractRemote, Config{}, server)
	numbered := regexp.MustCompile(`\bx\d\b`)
	for name, query := range map[string]string{
		"a plain field, and a relationship to the remote":   `{ items { __typename ... on A { x1: o { name } } ... on B { x2: twin { name } } } }`,
		"the relationship first":                            `{ items { ... on B { x2: twin { name } } ... on A { x1: o { name } } __typename } }`,
		"of an interface":                                   `{ nodes { id ... on A { x1: o { name } } ... on B { x2: twin { name } } } }`,
		"to rows":                                           `{ items { ... on A { x1: o { name } } ... on B { x2: artist { name } } } }`,
		"to rows by two columns":                            `{ items { ... on A { x1: o { name } } ... on B { x2: pair { name } } ... on C { x3: o { name } } } }`,
		"a list":                                            `{ items { ... on B { x1: list { name } } ... on A { x2: albums(order_by: {id: asc}) { title } } } }`,
		"without a key":                                     `{ items { ... on A { x1: o { name } } ... on B { x2: fixed { name } } } }`,
		"two relationships":                                 `{ items { ... on A { x1: artist { name } } ... on B { x2: twin { name } } } }`,
		"two relationships of one name":                     `{ items { ... on A { x1: artist { name } } ... on B { x2: artist { name } } ... on C { x3: o { name } } } }`,
		"a plain field of all other types":                  `{ items { ... on B { x1: twin { name } } ... on A { x2: o { name } onlyA } ... on C { x3: o { name } } } }`,
		"below a field of the same name":                    `{ items { ... on A { o { ... on B { x1: twin { name } } } } ... on B { o { ... on A { x2: o { name } } } } } }`,
		"below fields, in both":                             `{ items { ... on A { o { ... on B { x1: twin { name } } ... on A { x2: o { name } } } } ... on B { o { ... on A { x2: o { name } } ... on B { x1: artist { name } } } } } }`,
		"a relationship below a plain field":                `{ items { ... on A { x1: o { id ... on B { y: twin { name } } } } ... on B { x2: twin { id ... on B { y: o { name } } } } } }`,
		"a plain field and a relationship below each other": `{ items { ... on A { x1: twin { name ... on A { x1: o { name } } ... on B { x2: artist { name } } } } ... on B { x2: o { name ... on A { x1: twin { id } } } } } }`,
		"a fragment on the interface":                       `{ items { ... on Node { name ... on A { x1: o { name } } } ... on B { x2: twin { name } } } }`,
		"a fragment on the union itself":                    `{ items { ... on Item { __typename ... on A { x1: o { name } } ...b } } } fragment b on B { x2: twin { name } }`,
		"a fragment on the interface, of an interface":      `{ nodes { ... on Node { o { ... on Node { ... on B { x1: twin { name } } ... on A { x2: o { name } } } } } } }`,
		"a selection of all types, and more of one":         `{ nodes { o { ... on B { x1: twin { name } } } ... on A { o { ... on A { x2: o { name } } } } } }`,
		"keys of other types":                               `{ items { ... on A { x1: keyed { name } } ... on B { x2: keyed { name } } ... on C { x3: keyed { name } } } }`,
		"keys of other types, and a field of a fourth":      `{ items { ... on A { x1: keyed { name } } ... on B { x2: keyed { name } } ... on C { x3: own { label } } } }`,
		"a key that is a list's neighbour":                  `{ items { ... on A { x1: keyed { name } } ... on B { x2: list { name } } ... on C { x3: keyed { name } } } }`,
		"objects of other types":                            `{ items { ... on A { x1: own { label } } ... on B { x2: own { label } } } }`,
		"a relationship below objects of other types":       `{ items { ... on A { x1: own { y: keyed { name } } } ... on B { x2: own { y: keyed { name } } } } }`,
		"a relationship below one of two objects":           `{ items { ... on A { x1: own { y: keyed { name } } } ... on B { x2: own { y: label } } } }`,
		"a plain field that isn't null below the other":     `{ items { ... on A { x1: own { y: label } } ... on B { x2: own { y: keyed { name } } } ... on C { x3: own { y: label } } } }`,
		"a relationship in what a relationship gives":       `{ items { ... on B { x1: fixed { ... on B { y: fixed { name } } ... on A { y: o { name } } } } ... on A { x2: o { name } } } }`,
	} {
		t.Run(name, func(t *testing.T) {
			want := fetch(t, e, "admin", query, "")
			got := fetch(t, e, "admin", numbered.ReplaceAllString(query, "x"), "")
			require.NotContains(t, want.String(), `"errors"`)
			require.Regexp(t, `"x1":\[?\{`, want.String(), "a case that shows something")
			require.Equal(t, numbered.ReplaceAllString(compact(t, want), "x"), compact(t, got))
		})
	}
}
