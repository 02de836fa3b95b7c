package metadata

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/querydoc"
)

// QueryCollection is a named list of GraphQL documents, for the allow list and for REST
// endpoints.
type QueryCollection struct {
	Name       string               `json:"name" meta:"required,nonempty"`
	Definition CollectionDefinition `json:"definition" meta:"required"`
	Comment    *string              `json:"comment,omitempty"`
	Client     *CollectionClient    `json:"client,omitempty"`
	// REST offers each document as a REST endpoint, at COLLECTION/NAME.
	REST bool `json:"rest,omitempty"`
}

// CollectionDefinition are the queries of a collection.
type CollectionDefinition struct {
	Queries []StoredQuery `json:"queries" meta:"required"`
	// Prompts are offered to assistants.
	Prompts []Prompt `json:"prompts,omitempty"`
}

// Prompt is a text that a person has an assistant begin with.
type Prompt struct {
	Name        string `json:"name" meta:"required,nonempty"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	// Text has {{name}} where the argument of that name comes.
	Text      string           `json:"text" meta:"required"`
	Arguments []PromptArgument `json:"arguments,omitempty"`
}

// PromptArgument is an argument of a prompt.
type PromptArgument struct {
	Name        string `json:"name" meta:"required,nonempty"`
	Description string `json:"description,omitempty"`
	Required    bool   `json:"required,omitempty"`
}

// Fill is the text with arguments, which it fails without if they are required.
func (p *Prompt) Fill(arguments map[string]string) (string, error) {
	var pairs []string
	for _, a := range p.Arguments {
		value, given := arguments[a.Name]
		if a.Required && !given {
			return "", apierror.Newf(apierror.ParseFailed, "the prompt needs the argument %q", a.Name)
		}
		pairs = append(pairs, "{{"+a.Name+"}}", value)
	}
	return strings.NewReplacer(pairs...).Replace(p.Text), nil
}

// StoredQuery is one GraphQL document, kept as it was given.
type StoredQuery struct {
	Name  string `json:"name" meta:"required,nonempty"`
	Query string `json:"query" meta:"required"`
	// ID is what clients name the document by, besides the SHA-256 of its text; "" for nothing.
	ID string `json:"id,omitempty"`
	// Tool offers the document to assistants.
	Tool *DocumentTool `json:"tool,omitempty"`
}

// DocumentTool is how assistants see a document.
type DocumentTool struct {
	// Name is that of the document by default.
	Name        string `json:"name,omitempty"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
}

var toolName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,128}$`)

// ToolName is the name of the document as a tool.
func (q *StoredQuery) ToolName() string { return cmp.Or(q.Tool.Name, q.Name) }

func (q *StoredQuery) check() error {
	if q.Tool != nil && !toolName.MatchString(q.ToolName()) {
		return apierror.At(apierror.New(apierror.ParseFailed,
			"the name of a tool has 1 to 128 letters, digits, underscores, hyphens and dots"), "tool", "name")
	}
	return checkQuery(q.Query)
}

func checkQuery(text string) error {
	if _, err := querydoc.Parse(text); err != nil {
		return apierror.At(apierror.New(apierror.ParseFailed, err.Error()), "query")
	}
	return nil
}

func (d *CollectionDefinition) check() error {
	seen := map[string]bool{}
	var twice []string
	for _, q := range d.Queries {
		if seen[q.Name] && !slices.Contains(twice, q.Name) {
			twice = append(twice, q.Name)
		}
		seen[q.Name] = true
	}
	if len(twice) == 0 {
		return nil
	}
	return apierror.At(apierror.Newf(apierror.NotSupported, `found duplicate query names "%s"`, strings.Join(twice, `", "`)), "queries")
}

// Query returns the query of that name, or nil.
func (c *QueryCollection) Query(name string) *StoredQuery {
	i := slices.IndexFunc(c.Definition.Queries, func(q StoredQuery) bool { return q.Name == name })
	if i < 0 {
		return nil
	}
	return &c.Definition.Queries[i]
}

// QueryCollection returns the collection of that name, or nil.
func (d *Document) QueryCollection(name string) *QueryCollection {
	return find(d.QueryCollections, collectionName, name)
}

func collectionName(c *QueryCollection) string { return c.Name }

func (v View) collection(name string) (*QueryCollection, error) {
	if c := v.Document.QueryCollection(name); c != nil {
		return c, nil
	}
	return nil, apierror.Newf(apierror.NotExists, "query collection with name %q does not exist", name)
}

// freeCollectionName refuses a name that is in use.
func (v View) freeCollectionName(name string) error {
	if v.Document.QueryCollection(name) == nil {
		return nil
	}
	return apierror.Newf(apierror.AlreadyExists, "query collection with name %q already exists", name)
}

// changeCollection puts a collection instead of old, nil for none.
func (v View) changeCollection(old, next *QueryCollection) *Result {
	doc := *v.Document
	if old != nil {
		doc.QueryCollections = removed(doc.QueryCollections, collectionName, old.Name)
	}
	doc.QueryCollections = inserted(doc.QueryCollections, next, collectionName)
	return &Result{Document: &doc, Verdict: VerdictAny}
}

// CreateQueryCollection are the arguments of create_query_collection.
type CreateQueryCollection struct{ QueryCollection }

// Apply adds the collection.
func (a *CreateQueryCollection) Apply(v View) (*Result, error) {
	if err := v.freeCollectionName(a.Name); err != nil {
		return nil, apierror.At(err, "name")
	}
	collection := a.QueryCollection
	return v.changeCollection(nil, &collection), nil
}

// RenameQueryCollection are the arguments of rename_query_collection.
type RenameQueryCollection struct {
	Name    string `json:"name" meta:"required,nonempty"`
	NewName string `json:"new_name" meta:"required,nonempty"`
}

// Apply renames the collection and nothing that refers to it.
func (a *RenameQueryCollection) Apply(v View) (*Result, error) {
	old, err := v.collection(a.Name)
	if err != nil {
		return nil, err
	}
	if err := v.freeCollectionName(a.NewName); err != nil {
		return nil, apierror.At(err, "new_name")
	}
	collection := *old
	collection.Name = a.NewName
	return v.changeCollection(old, &collection), nil
}

// DropQueryCollection are the arguments of drop_query_collection.
type DropQueryCollection struct {
	Collection string `json:"collection" meta:"required,nonempty"`
	Cascade    bool   `json:"cascade" meta:"required"`
}

// Apply removes the collection, with its entry of the allow list when cascade is set.
func (a *DropQueryCollection) Apply(v View) (*Result, error) {
	if _, err := v.collection(a.Collection); err != nil {
		return nil, apierror.At(err, "collection")
	}
	if !a.Cascade && find(v.Document.Allowlist, allowlistCollection, a.Collection) != nil {
		return nil, apierror.At(apierror.Newf(apierror.DependencyError,
			"query collection with name %q is present in the allowlist; cannot proceed to drop. "+
				"please use cascade to confirm you wish to drop it from the allowlist as well", a.Collection), "collection")
	}
	doc := *v.Document
	doc.QueryCollections = removed(doc.QueryCollections, collectionName, a.Collection)
	doc.Allowlist = removed(doc.Allowlist, allowlistCollection, a.Collection)
	return &Result{Document: &doc, Verdict: VerdictAny}, nil
}

// AddQueryToCollection are the arguments of add_query_to_collection.
type AddQueryToCollection struct {
	Collection string `json:"collection_name" meta:"required,nonempty"`
	QueryName  string `json:"query_name" meta:"required,nonempty"`
	Query      string `json:"query" meta:"required"`
	// Tool offers the document to assistants.
	Tool *DocumentTool `json:"tool,omitempty"`
}

func (a *AddQueryToCollection) check() error {
	return (&StoredQuery{Name: a.QueryName, Query: a.Query, Tool: a.Tool}).check()
}

// Apply adds the query at the end of the collection.
func (a *AddQueryToCollection) Apply(v View) (*Result, error) {
	old, err := v.collection(a.Collection)
	if err != nil {
		return nil, err
	}
	if old.Query(a.QueryName) != nil {
		return nil, apierror.Newf(apierror.AlreadyExists,
			"query with name %q already exists in collection %q", a.QueryName, a.Collection)
	}
	collection := *old
	collection.Definition.Queries = append(slices.Clone(old.Definition.Queries), StoredQuery{Name: a.QueryName, Query: a.Query, Tool: a.Tool})
	return v.changeCollection(old, &collection), nil
}

// DropQueryFromCollection are the arguments of drop_query_from_collection.
type DropQueryFromCollection struct {
	Collection string `json:"collection_name" meta:"required,nonempty"`
	QueryName  string `json:"query_name" meta:"required,nonempty"`
}

// Apply removes the query from the collection.
func (a *DropQueryFromCollection) Apply(v View) (*Result, error) {
	old, err := v.collection(a.Collection)
	if err != nil {
		return nil, err
	}
	if old.Query(a.QueryName) == nil {
		return nil, apierror.Newf(apierror.NotFound, "query with name %q not found in collection %q", a.QueryName, a.Collection)
	}
	collection := *old
	collection.Definition.Queries = removed(old.Definition.Queries, func(q StoredQuery) string { return q.Name }, a.QueryName)
	return v.changeCollection(old, &collection), nil
}

// Tools are the documents that assistants may be offered, in the order of their names. Of several with one name the first
// one counts.
func (d *Document) Tools() []*StoredQuery {
	var list []*StoredQuery
	for _, c := range d.QueryCollections {
		for i := range c.Definition.Queries {
			if q := &c.Definition.Queries[i]; q.Tool != nil {
				list = append(list, q)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *StoredQuery) int { return strings.Compare(a.ToolName(), b.ToolName()) })
	return slices.CompactFunc(list, func(a, b *StoredQuery) bool { return a.ToolName() == b.ToolName() })
}

// Tool is the first document that assistants know by a name, nil for none.
func (d *Document) Tool(name string) *StoredQuery {
	for _, c := range d.QueryCollections {
		for i := range c.Definition.Queries {
			if q := &c.Definition.Queries[i]; q.Tool != nil && q.ToolName() == name {
				return q
			}
		}
	}
	return nil
}

// Prompts are those of all collections.
func (d *Document) Prompts() []*Prompt {
	var list []*Prompt
	for _, c := range d.QueryCollections {
		for i := range c.Definition.Prompts {
			list = append(list, &c.Definition.Prompts[i])
		}
	}
	return list
}
