package postgres

import (
	"context"
	"fmt"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/changestream"
	"queryengine/pkg/backend/postgres/quote"
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/ir"
)

// A Source publishes changes.
var _ backend.ChangePublisher = (*Source)(nil)

// PublishChanges implements backend.ChangePublisher.
func (s *Source) PublishChanges(ctx context.Context, p backend.Publication, sink backend.ChangeSink, on backend.ChangeProgress) error {
	d, err := publishedDefinition(p)
	if err != nil {
		return err
	}
	return changestream.Publish(ctx, s.primary.Pool, d, sink, on)
}

// DropPublishedChanges implements backend.ChangePublisher.
func (s *Source) DropPublishedChanges(ctx context.Context, name string, on backend.ChangeProgress) error {
	return changestream.Drop(ctx, s.primary.Pool, name, on)
}

// PublicationName implements backend.ChangePublisher.
func (s *Source) PublicationName(installation, source, name string) string {
	return changestream.Name(installation, source, name)
}

// publishedDefinition renders what is published of tables. Values are part of the text: the same
// publication gives the same text.
func publishedDefinition(p backend.Publication) (*changestream.Definition, error) {
	d := &changestream.Definition{Name: p.Name}
	args := backend.Args{Session: p.Session}
	for _, t := range p.Tables {
		r := newRenderer(New(), backend.RenderOptions{}, mode{json: true, inline: func(p sqltext.Param) (string, error) {
			value, err := p.Resolve(&args, quote.Array)
			if value == nil {
				return "NULL", err
			}
			return quote.Literal(string(value)), err
		}})
		// The scope is a row that has no table: nothing but its columns is known.
		row := &sqltext.Scope{Alias: "r"}
		table := changestream.Table{Name: t.Name, Condition: r.Condition(t.Filter, row)}
		var key, document []string
		for _, c := range t.Key {
			table.Key = append(table.Key, c.Name)
			key = append(key, r.publishedPair(c, c, row))
		}
		for _, c := range t.Columns {
			document = append(document, r.publishedPair(c.Column, c.Value, row))
		}
		table.KeyObject, table.Document = buildObject(key), buildObject(document)
		if r.Err != nil {
			return nil, fmt.Errorf("rendering what is published of table %q: %w", t.Name.Name, r.Err)
		}
		d.Tables = append(d.Tables, table)
	}
	return d, nil
}

// publishedPair is the key and the value of a column in a JSON object.
func (r *renderer) publishedPair(c ir.Column, value ir.Expr, row *sqltext.Scope) string {
	return quote.Literal(c.Name) + ", " + r.jsonCell(r.Expr(value, row), c.Type)
}
