package postgres

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/changestream"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/pkg/session"
)

// What is published is text with all values in it, about a row "r" and nothing else.
func TestPublishedDefinition(t *testing.T) {
	t.Parallel()
	number, text := catalog.Type{Name: "int4"}, catalog.Type{Name: "text"}
	id, owner := ir.Column{Name: "id", Type: number}, ir.Column{Name: "owner", Type: text}
	mine := ir.Rule{Exp: ir.Compare{Left: owner, Op: ir.OpEq, Args: []ir.Value{ir.SessionVar{Name: "x-engine-user-id", Type: text}}}}
	publication := backend.Publication{
		Name: "name",
		Tables: []backend.PublishedTable{{
			Name: catalog.Name{Schema: "public", Name: "item"}, Key: []ir.Column{id},
			Filter:  ir.And{Exps: []ir.BoolExp{mine, ir.Compare{Left: id, Op: ir.OpGt, Args: []ir.Value{ir.Literal{Text: "7", Type: number}}}}},
			Columns: []backend.PublishedColumn{{Column: id, Value: id}, {Column: owner, Value: ir.Redacted{Expr: owner, When: mine}}},
		}},
		Session: session.New("clerk", map[string]string{"x-engine-user-id": "O'Neill"}),
	}
	d, err := publishedDefinition(publication)
	require.NoError(t, err)
	require.Equal(t, &changestream.Definition{Name: "name", Tables: []changestream.Table{{
		Name: catalog.Name{Schema: "public", Name: "item"}, Key: []string{"id"},
		Condition: `r."owner" = 'O''Neill'::text AND r."id" > '7'::int4`,
		KeyObject: `json_build_object('id', r."id")`,
		Document:  `json_build_object('id', r."id", 'owner', (CASE WHEN r."owner" = 'O''Neill'::text THEN r."owner" END))`,
	}}}, d)

	publication.Session = session.New("clerk", nil)
	_, err = publishedDefinition(publication)
	require.ErrorContains(t, err, `missing session variable: "x-engine-user-id"`)
}
