package sources_test

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/open"
	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
	"queryengine/services/metadata/internal/sources"
)

// fakeSource has a catalog, or fails. What introspection doesn't need panics.
type fakeSource struct {
	backend.Source
	catalog *catalog.Source
	err     error
	parts   []backend.Part
	closed  chan struct{}
}

func (f *fakeSource) Introspect(context.Context, []catalog.Name) (*catalog.Source, error) {
	return f.catalog, f.err
}

func (f *fakeSource) IntrospectPart(_ context.Context, part backend.Part, _ []catalog.Name) (*catalog.Source, error) {
	f.parts = append(f.parts, part)
	return f.catalog, f.err
}

func (f *fakeSource) Close() { close(f.closed) }

func name(s string) catalog.Name { return catalog.Name{Schema: "public", Name: s} }

func catalogOf(tables ...string) *catalog.Source {
	c := &catalog.Source{
		Tables: map[catalog.Name]*catalog.Table{}, Functions: map[catalog.Name][]*catalog.Function{},
		Enums: map[catalog.Name][]catalog.EnumValue{},
	}
	for i, t := range tables {
		c.Tables[name(t)] = &catalog.Table{Name: name(t), ID: strconv.Itoa(i)}
	}
	return c
}

func document(url string) *metadata.Document {
	doc := metadata.Empty()
	doc.Sources = append(doc.Sources, &metadata.Source{
		Name: "default", Kind: metadata.DefaultKind, Tables: []*metadata.Table{},
		Configuration: json.RawMessage(`{"connection_info":{"database_url":"` + url + `"}}`),
	})
	return doc
}

func poolOf(f *fakeSource) *open.Pool {
	return open.New(func(*metadata.Source) (backend.Source, error) { return f, nil })
}

func TestWhatDidNotChangeIsShared(t *testing.T) {
	t.Parallel()
	f := &fakeSource{catalog: catalogOf("a", "b")}
	p, doc := poolOf(f), document("x")
	all := metadata.Introspection{All: true}
	first := sources.Introspect(t.Context(), p, doc, sources.Catalogs{}, all)
	f.catalog = catalogOf("a", "b")
	second := sources.Introspect(t.Context(), p, doc, first, all)
	require.Same(t, first.BySource["default"], second.BySource["default"])

	f.catalog = catalogOf("a", "b", "c")
	third := sources.Introspect(t.Context(), p, doc, second, all)
	require.Len(t, third.BySource["default"].Tables, 3)
	require.Same(t, first.BySource["default"].Tables[name("a")], third.BySource["default"].Tables[name("a")])
}

func TestPartsAreMerged(t *testing.T) {
	t.Parallel()
	f := &fakeSource{catalog: catalogOf("a", "b")}
	p, doc := poolOf(f), document("x")
	first := sources.Introspect(t.Context(), p, doc, sources.Catalogs{}, metadata.Introspection{All: true})
	f.catalog = catalogOf("c")
	next := sources.Introspect(t.Context(), p, doc, first, metadata.Introspection{Tables: []metadata.SourceTable{
		{Source: "default", Name: name("b")}, {Source: "default", Name: name("c")}, {Source: "other", Name: name("d")},
	}})
	require.Equal(t, []backend.Part{{Tables: []catalog.Name{name("b"), name("c")}}}, f.parts)
	tables := next.BySource["default"].Tables
	require.Len(t, tables, 2, "a stays, b is gone, c is new")
	require.NotNil(t, tables[name("c")])
	require.Len(t, first.BySource["default"].Tables, 2, "the catalog before is as it was")
}

func TestFailuresKeepTheCatalog(t *testing.T) {
	t.Parallel()
	f := &fakeSource{err: apierror.New(apierror.PostgresError, "connection error").WithInternal("refused\nby the server")}
	p, doc := poolOf(f), document("x")
	all := metadata.Introspection{All: true}
	failed := sources.Introspect(t.Context(), p, doc, sources.Catalogs{}, all)
	reason, detail := sources.Reason(failed.Errors["default"])
	require.Equal(t, []string{"connection error", "refused\nby the server"}, []string{reason, detail})
	require.Empty(t, failed.BySource)

	f.err, f.catalog = nil, catalogOf("a")
	good := sources.Introspect(t.Context(), p, doc, failed, all)
	require.Empty(t, good.Errors)
	f.err = errors.New("gone")
	stale := sources.Introspect(t.Context(), p, doc, good, all)
	require.Same(t, good.BySource["default"], stale.BySource["default"])
	require.Equal(t, `source "default" is inconsistent because of stale database introspection is used. `+
		"The source couldn't be reached for a fresh introspection because we got error: gone", stale.Errors["default"])
	require.Equal(t, stale, sources.Introspect(t.Context(), p, doc, stale, metadata.Introspection{}), "what isn't asked for stays")
}
