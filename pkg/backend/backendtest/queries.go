package backendtest

import (
	"embed"
	"encoding/base64"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/ir"
)

//go:embed testdata/query
var wanted embed.FS

// Query is a plan with its bound values, and the answer.
type Query struct {
	Name    string
	Root    ir.Root
	Options backend.RenderOptions
	Args    backend.Args
	// Shared plans belong to this package: their answers are in its testdata.
	Shared bool
}

// Want is the answer, byte for byte as the engine's own dialect writes it.
func (q Query) Want() string {
	raw, err := wanted.ReadFile("testdata/query/" + q.Name + ".json")
	if err != nil {
		return ""
	}
	return string(raw)
}

// queries collects plans.
type queries struct {
	Plans
	all []Query
}

func (p *queries) add(name string, root ir.Root) *Query {
	p.all = append(p.all, Query{Name: name, Root: root, Shared: true})
	return &p.all[len(p.all)-1]
}

func orderBy(items ...ir.OrderItem) []ir.OrderItem { return items }

// Queries are plans over the tables of Shop.
func Queries(of Plans) []Query {
	p := &queries{Plans: of}
	p.addRows()
	p.addWhere()
	p.addRelated()
	p.addOrdered()
	p.addAggregates()
	p.addPages()
	return p.all
}

func (x *exercise) queries(t *testing.T, at string) {
	b := x.open(t, Shop()...)
	for _, q := range Queries(b.Plans) {
		x.sub(t, at, q.Name, func(t *testing.T, _ string) {
			x.requireAnswer(t, b.own(q.Want()), b.answer(t, q))
		})
	}
}

// ids are global ids of rows in the schema "public".
var ids = regexp.MustCompile(base64.StdEncoding.EncodeToString([]byte(`[1, "publ`)) + `[A-Za-z0-9+/]*=*`)

// own is a wanted answer with the ids that rows have in this database.
func (b *bench) own(want string) string {
	return ids.ReplaceAllStringFunc(want, func(id string) string {
		text, err := base64.StdEncoding.DecodeString(id)
		if err != nil {
			return id
		}
		own := strings.Replace(string(text), `"public"`, strconv.Quote(b.SQL.Default), 1)
		return base64.StdEncoding.EncodeToString([]byte(own))
	})
}

// requireAnswer is requireJSON, also where numbers are texts.
func (x *exercise) requireAnswer(t *testing.T, want, got string) {
	t.Helper()
	if x.NumbersAsTexts {
		var err error
		want, err = withTexts(want)
		require.NoError(t, err, "the wanted answer")
		got, err = withTexts(got)
		require.NoError(t, err, got)
	}
	requireJSON(t, want, got)
}

// requireJSON compares two answers: all but white space and the last digits of numbers.
func requireJSON(t *testing.T, want, got string) {
	t.Helper()
	a, err := tokens(want)
	require.NoError(t, err, "the wanted answer")
	b, err := tokens(got)
	require.NoError(t, err, got)
	require.Equal(t, a, b)
}
