package metadata

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/querydoc"
)

// CollectionClient is the client whose documents a collection has.
type CollectionClient struct {
	Name    string `json:"name" meta:"required,nonempty"`
	Version string `json:"version,omitempty"`
}

// ImportDocuments are the arguments of import_documents.
type ImportDocuments struct {
	Collection string            `json:"collection" meta:"required,nonempty"`
	Client     *CollectionClient `json:"client"`
	// Documents are a file that a client's tool writes: an object of texts by their ids (GraphQL Code Generator, Relay), or a manifest of
	// Apollo.
	Documents json.RawMessage `json:"documents" meta:"required"`
	// Replace removes the documents that the file doesn't have, and gives ids other texts.
	Replace bool `json:"replace"`
	// REST offers the documents as REST endpoints, or no longer; nil leaves that as it was.
	REST *bool `json:"rest"`
	// Allow puts the collection on the allow list.
	Allow *AllowlistScope `json:"allow"`

	imported, removed int
}

// longestID bounds the id of a document, in bytes.
const longestID = 512

// DocumentsOf reads the file of a client's tool, in the order of its ids.
func DocumentsOf(raw json.RawMessage) ([]StoredQuery, error) {
	var manifest struct {
		Format     string `json:"format"`
		Version    int    `json:"version"`
		Operations []struct {
			ID   string `json:"id"`
			Body string `json:"body"`
		} `json:"operations"`
	}
	texts := map[string]string{}
	if err := json.Unmarshal(raw, &manifest); err == nil && manifest.Operations != nil {
		if manifest.Version != 1 {
			return nil, apierror.Newf(apierror.NotSupported, "version %d of the manifest is not supported", manifest.Version)
		}
		for _, o := range manifest.Operations {
			if other, twice := texts[o.ID]; twice && other != o.Body {
				return nil, apierror.Newf(apierror.ParseFailed, "id %q has two documents", o.ID)
			}
			texts[o.ID] = o.Body
		}
	} else if err := json.Unmarshal(raw, &texts); err != nil {
		return nil, apierror.New(apierror.ParseFailed, "expected documents by their ids, or a manifest of operations")
	}
	list := make([]StoredQuery, 0, len(texts))
	for id, text := range texts {
		q := StoredQuery{ID: id, Query: text}
		if id == "" || len(id) > longestID {
			return nil, apierror.Newf(apierror.ParseFailed, "an id has 1 to %d bytes", longestID)
		}
		parsed, err := querydoc.Parse(text)
		if err != nil {
			return nil, apierror.At(apierror.New(apierror.ParseFailed, err.Error()), id)
		}
		if len(parsed.Operations) > 0 {
			q.Name = parsed.Operations[0].Name
		}
		list = append(list, q)
	}
	slices.SortFunc(list, func(a, b StoredQuery) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.ID, b.ID))
	})
	return list, nil
}

// Apply adds the documents to the collection, which it makes where there is none. An id keeps its text for ever, unless Replace is set:
// clients that are out there go on naming it.
func (a *ImportDocuments) Apply(v View) (*Result, error) {
	a.imported, a.removed = 0, 0 // it may be applied again
	given, err := DocumentsOf(a.Documents)
	if err != nil {
		return nil, apierror.At(err, "documents")
	}
	elsewhere := map[string]string{}
	for _, c := range v.Document.QueryCollections {
		for _, q := range c.Definition.Queries {
			if q.ID != "" && c.Name != a.Collection {
				elsewhere[q.ID] = q.Query
			}
		}
	}
	for _, q := range given {
		if text, taken := elsewhere[q.ID]; taken && text != q.Query {
			return nil, apierror.At(apierror.Newf(apierror.Conflict, "id %q names another document in another collection", q.ID), "documents")
		}
	}
	old := v.Document.QueryCollection(a.Collection)
	next := QueryCollection{Name: a.Collection}
	if old != nil {
		next = *old
	}
	if a.Client != nil {
		next.Client = a.Client
	}
	if a.REST != nil {
		next.REST = *a.REST
	}
	if next.Definition.Queries, err = a.merge(next.Definition.Queries, given); err != nil {
		return nil, apierror.At(err, "documents")
	}
	r := v.changeCollection(old, &next)
	if a.Allow != nil {
		r.Document.Allowlist = inserted(r.Document.Allowlist, &AllowlistEntry{a.Collection, *a.Allow}, allowlistCollection)
	}
	r.Reply = a.report
	return r, nil
}

// merge is what the collection has afterwards. Each document has a name of its own.
func (a *ImportDocuments) merge(old, given []StoredQuery) ([]StoredQuery, error) {
	fresh := make(map[string]StoredQuery, len(given))
	for _, q := range given {
		fresh[q.ID] = q
	}
	names := make(map[string]bool, len(old)+len(given))
	merged := make([]StoredQuery, 0, len(old)+len(given))
	for _, q := range old {
		is, named := fresh[q.ID]
		switch {
		case a.Replace && !named:
			a.removed++
			continue
		case named && is.Query != q.Query && !a.Replace:
			return nil, apierror.Newf(apierror.Conflict, "id %q has another document already", q.ID)
		case named && is.Query != q.Query:
			a.imported++
		}
		if named {
			q.Query = is.Query
			delete(fresh, q.ID)
		}
		names[q.Name] = true
		merged = append(merged, q)
	}
	for _, q := range given {
		if _, missing := fresh[q.ID]; !missing {
			continue
		}
		if q.Name == "" || names[q.Name] {
			q.Name = strings.TrimPrefix(q.Name+" "+q.ID, " ")
		}
		names[q.Name] = true
		merged = append(merged, q)
		a.imported++
	}
	return merged, nil
}

func (a *ImportDocuments) report(View) (json.RawMessage, error) {
	return Encode(struct {
		Message  string `json:"message"`
		Imported int    `json:"imported"`
		Removed  int    `json:"removed"`
	}{"success", a.imported, a.removed})
}
