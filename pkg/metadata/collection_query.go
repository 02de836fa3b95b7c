package metadata

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// CollectionQuery is a query with the name of the collection that it is in.
type CollectionQuery struct {
	Collection string
	StoredQuery
}

func (q CollectionQuery) id() ObjectID {
	return ObjectID{Kind: ObjectCollectionQuery, Source: q.Collection, Name: q.Name}
}

// objectName is what inconsistent objects call the query.
func (q CollectionQuery) objectName() string {
	return "query_collections " + q.Name + " in " + q.Collection
}

// CollectionQueries are the queries of all collections.
func (d *Document) CollectionQueries() []CollectionQuery {
	var list []CollectionQuery
	for _, c := range d.QueryCollections {
		for _, q := range c.Definition.Queries {
			list = append(list, CollectionQuery{c.Name, q})
		}
	}
	return list
}

// InvalidQuery is the inconsistency of a query that doesn't suit the schema. It names the users of the
// query.
func (d *Document) InvalidQuery(q CollectionQuery, problem string) Inconsistency {
	reason := fmt.Sprintf("Inconsistent object: In query collection %q the query %q is invalid with the following error(s): %q",
		q.Collection, q.Name, problem)
	var endpoints []string
	for _, e := range d.RESTEndpoints {
		if e.Definition.Query == (QueryReference{q.Collection, q.Name}) {
			endpoints = append(endpoints, fmt.Sprintf("%q", e.Name))
		}
	}
	if len(endpoints) > 0 {
		reason += " This query is being used in the following REST endpoint(s): " + strings.Join(endpoints, ", ") + "."
	}
	if find(d.Allowlist, allowlistCollection, q.Collection) != nil {
		reason += " This query is in allowlist."
	}
	return Inconsistency{
		ID: q.id(), Type: ObjectCollectionQuery, Name: q.objectName(), Definition: q.StoredQuery, Reason: reason,
	}
}

// InvalidQueries are those of a list of inconsistent objects that are queries of the document
// still. They have their IDs again, which a list that was decoded lacks.
func (d *Document) InvalidQueries(list []Inconsistency) []Inconsistency {
	if !slices.ContainsFunc(list, isInvalidQuery) {
		return nil
	}
	queries := map[string]CollectionQuery{}
	for _, q := range d.CollectionQueries() {
		queries[q.objectName()] = q
	}
	var kept []Inconsistency
	for _, i := range list {
		if q, ok := queries[i.Name]; ok && isInvalidQuery(i) && sameDefinition(i, q) {
			i.ID = q.id()
			kept = append(kept, i)
		}
	}
	return kept
}

func isInvalidQuery(i Inconsistency) bool { return i.Type == ObjectCollectionQuery }

// sameDefinition reports whether the inconsistency is about the query as it is.
func sameDefinition(i Inconsistency, q CollectionQuery) bool {
	was, err := Encode(i.Definition)
	if err != nil {
		return false
	}
	is, err := Encode(q.StoredQuery)
	return err == nil && bytes.Equal(was, is)
}

// withoutQuery removes a query of a collection, the endpoints that run it, and with the last
// query the collection and its entry of the allow list.
func (d *Document) withoutQuery(id ObjectID) {
	old := d.QueryCollection(id.Source)
	if old == nil || old.Query(id.Name) == nil {
		return
	}
	d.RESTEndpoints = slices.DeleteFunc(slices.Clone(d.RESTEndpoints), func(e *RESTEndpoint) bool {
		return e.Definition.Query == QueryReference{id.Source, id.Name}
	})
	collection := *old
	collection.Definition.Queries = removed(old.Definition.Queries, func(q StoredQuery) string { return q.Name }, id.Name)
	if len(collection.Definition.Queries) > 0 {
		d.QueryCollections = inserted(d.QueryCollections, &collection, collectionName)
		return
	}
	d.QueryCollections = removed(d.QueryCollections, collectionName, id.Source)
	d.Allowlist = removed(d.Allowlist, allowlistCollection, id.Source)
}
