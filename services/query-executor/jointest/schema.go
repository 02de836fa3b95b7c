package jointest

import (
	"slices"

	"github.com/graphql-go/graphql"
)

type rows []*Row

// find is the row with an id, or nil.
func (list rows) find(id any) any {
	i := slices.IndexFunc(list, func(r *Row) bool { return r.ID == id })
	if i < 0 {
		return nil
	}
	return list[i]
}

// choose are the rows that arguments ask for.
func (list rows) choose(args map[string]any) rows {
	chosen := rows{}
	for _, r := range list {
		number, word, least := args["number"], args["word"], args["least"]
		switch {
		case number != nil && (r.Number == nil || *r.Number != number):
		case word != nil && (r.Word == nil || *r.Word != word):
		case least != nil && r.ID <= least.(int): //nolint:forcetypeassert // the server has checked it
		default:
			chosen = append(chosen, r)
		}
	}
	if limit, ok := args["limit"].(int); ok {
		chosen = chosen[:min(limit, len(chosen))]
	}
	return chosen
}

func arguments(names ...string) graphql.FieldConfigArgument {
	types := map[string]graphql.Input{
		"id": graphql.NewNonNull(graphql.Int), "number": graphql.Int, "word": graphql.String, "least": graphql.Int, "limit": graphql.Int,
	}
	args := graphql.FieldConfigArgument{}
	for _, name := range names {
		args[name] = &graphql.ArgumentConfig{Type: types[name]}
	}
	return args
}

// rowFields are the fields of all rows.
func rowFields() graphql.Fields {
	of := func(typ graphql.Output, value func(*Row) any) *graphql.Field {
		return &graphql.Field{Type: typ, Resolve: func(p graphql.ResolveParams) (any, error) {
			r, _ := p.Source.(*Row)
			return value(r), nil
		}}
	}
	return graphql.Fields{
		"id":     of(graphql.NewNonNull(graphql.Int), func(r *Row) any { return r.ID }),
		"number": of(graphql.Int, func(r *Row) any { return r.Number }),
		"word":   of(graphql.String, func(r *Row) any { return r.Word }),
	}
}

func (list rows) next(p graphql.ResolveParams) (any, error) {
	r, _ := p.Source.(*Row)
	return list.find(r.ID + 1), nil
}

func (list rows) one(p graphql.ResolveParams) (any, error) { return list.find(p.Args["id"]), nil }

func (list rows) many(p graphql.ResolveParams) (any, error) { return list.choose(p.Args), nil }

// AlphaSchema is the remote schema Alpha.
func (w *World) AlphaSchema() (graphql.Schema, error) {
	list := rows(w.Rows[Alpha])
	var node *graphql.Object
	node = graphql.NewObject(graphql.ObjectConfig{Name: "Node", Fields: graphql.FieldsThunk(func() graphql.Fields {
		fields := rowFields()
		fields["next"] = &graphql.Field{Type: node, Resolve: list.next}
		fields["peers"] = &graphql.Field{
			Type: graphql.NewList(graphql.NewNonNull(node)), Args: arguments("limit"),
			Resolve: func(p graphql.ResolveParams) (any, error) {
				r, _ := p.Source.(*Row)
				if r.Number == nil {
					return rows{}, nil
				}
				return list.choose(map[string]any{"number": *r.Number, "limit": p.Args["limit"]}), nil
			},
		}
		return fields
	})})
	nodes := graphql.NewNonNull(graphql.NewList(graphql.NewNonNull(node)))
	group := graphql.NewObject(graphql.ObjectConfig{Name: "Group", Fields: graphql.Fields{
		"nodes": {Type: nodes, Args: arguments("word", "least", "limit"), Resolve: func(p graphql.ResolveParams) (any, error) {
			p.Args["number"] = p.Source
			return list.choose(p.Args), nil
		}},
	}})
	fields := graphql.InputObjectConfigFieldMap{}
	for name, a := range arguments("number", "word", "least", "limit") {
		fields[name] = &graphql.InputObjectFieldConfig{Type: a.Type}
	}
	where := graphql.NewInputObject(graphql.InputObjectConfig{Name: "Where", Fields: fields})
	return graphql.NewSchema(graphql.SchemaConfig{Query: graphql.NewObject(graphql.ObjectConfig{Name: "Query", Fields: graphql.Fields{
		"node":  {Type: node, Args: arguments("id"), Resolve: list.one},
		"nodes": {Type: nodes, Args: arguments("number", "word", "least", "limit"), Resolve: list.many},
		"group": {
			Type: group, Args: graphql.FieldConfigArgument{"number": {Type: graphql.NewNonNull(graphql.Int)}},
			Resolve: func(p graphql.ResolveParams) (any, error) { return p.Args["number"], nil },
		},
		"find": {
			Type: nodes, Args: graphql.FieldConfigArgument{"where": {Type: graphql.NewNonNull(where)}},
			Resolve: func(p graphql.ResolveParams) (any, error) {
				args, _ := p.Args["where"].(map[string]any)
				return list.choose(args), nil
			},
		},
	}})})
}

// BetaSchema is the remote schema Beta.
func (w *World) BetaSchema() (graphql.Schema, error) {
	list := rows(w.Rows[Beta])
	var even, odd *graphql.Object
	var item *graphql.Interface
	item = graphql.NewInterface(graphql.InterfaceConfig{
		Name: "Item",
		Fields: graphql.FieldsThunk(func() graphql.Fields {
			fields := rowFields()
			fields["next"] = &graphql.Field{Type: item}
			return fields
		}),
		ResolveType: func(p graphql.ResolveTypeParams) *graphql.Object {
			if r, _ := p.Value.(*Row); r.ID%2 == 0 {
				return even
			}
			return odd
		},
	})
	object := func(name string) *graphql.Object {
		return graphql.NewObject(graphql.ObjectConfig{Name: name, Interfaces: []*graphql.Interface{item}, Fields: graphql.FieldsThunk(func() graphql.Fields {
			fields := rowFields()
			fields["next"] = &graphql.Field{Type: item, Resolve: list.next}
			return fields
		})})
	}
	even, odd = object("Even"), object("Odd")
	items := graphql.NewList(graphql.NewNonNull(item))
	return graphql.NewSchema(graphql.SchemaConfig{Types: []graphql.Type{even, odd}, Query: graphql.NewObject(graphql.ObjectConfig{Name: "Query", Fields: graphql.Fields{
		"item":  {Type: item, Args: arguments("id"), Resolve: list.one},
		"items": {Type: graphql.NewNonNull(items), Args: arguments("number", "word", "least", "limit"), Resolve: list.many},
		"grid": {Type: graphql.NewList(items), Args: arguments("number"), Resolve: func(p graphql.ResolveParams) (any, error) {
			lines := [][]*Row{}
			for line := range slices.Chunk(list.choose(p.Args), 2) {
				lines = append(lines, line)
			}
			return lines, nil
		}},
	}})})
}
