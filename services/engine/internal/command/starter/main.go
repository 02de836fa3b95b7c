// Command starter is the engine with code of its own: a remote schema that knows how many copies of a track are in
// stock, an action that recommends tracks to its caller, and a handler of new invoices.
package main

import (
	"context"
	"log/slog"

	"github.com/graphql-go/graphql"

	"queryengine/services/engine"
)

func main() { engine.Main(options()...) }

func options() []engine.Option {
	return []engine.Option{
		engine.RemoteSchema("stock", stock()),
		engine.Action("recommend", recommend, engine.Query()),
		engine.OnEvent("invoice_placed", invoicePlaced),
	}
}

// copies looks up all tracks of a query at once.
var copies = engine.NewLoader(func(_ context.Context, tracks []int) (map[int]int, error) {
	found := make(map[int]int, len(tracks))
	for _, id := range tracks {
		found[id] = id % 7 // yours comes from a warehouse
	}
	return found, nil
})

func stock() graphql.Schema {
	schema, err := graphql.NewSchema(graphql.SchemaConfig{
		Query: graphql.NewObject(graphql.ObjectConfig{Name: "Query", Fields: graphql.Fields{
			"copies": &graphql.Field{
				Type:        graphql.Int,
				Description: "Copies of a track in stock",
				Args:        graphql.FieldConfigArgument{"track": &graphql.ArgumentConfig{Type: graphql.NewNonNull(graphql.Int)}},
				Resolve: func(p graphql.ResolveParams) (any, error) {
					track, _ := p.Args["track"].(int)
					return copies.Load(p.Context, track)
				},
			},
		}}),
	})
	if err != nil {
		panic(err)
	}
	return schema
}

// wish is the input of recommend.
type wish struct {
	LongerThan int  `json:"longer_than" doc:"Least length in seconds"`
	Limit      *int `json:"limit"`
}

// recommendation is its output.
type recommendation struct {
	Track  string `json:"track"`
	Reason string `json:"reason"`
}

// recommend runs a query with the rights of its caller.
func recommend(ctx context.Context, w wish) ([]recommendation, error) {
	limit := 3
	if w.Limit != nil {
		limit = *w.Limit
	}
	if limit < 1 || limit > 100 {
		return nil, &engine.Error{Message: "limit is from 1 to 100", Code: "bad-limit"}
	}
	var found struct{ Tracks []struct{ Name string } }
	err := engine.ClientOf(ctx).Run(ctx, `query ($least: Int!, $limit: Int!) {
		tracks(where: {duration_ms: {_gt: $least}}, order_by: {duration_ms: asc}, limit: $limit) { name }
	}`, map[string]any{"least": w.LongerThan * 1000, "limit": limit}, &found)
	if err != nil {
		return nil, err
	}
	list := make([]recommendation, len(found.Tracks))
	for i, t := range found.Tracks {
		list[i] = recommendation{Track: t.Name, Reason: "long enough for " + engine.SessionOf(ctx).Role}
	}
	return list, nil
}

type invoice struct {
	ID    int     `json:"id"`
	Total float64 `json:"total"`
}

// invoicePlaced gets each new invoice, again after an error.
func invoicePlaced(_ context.Context, e engine.Event[invoice]) error {
	slog.Info("invoice placed", "id", e.New.ID, "total", e.New.Total)
	return nil
}
