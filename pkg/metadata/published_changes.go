package metadata

import (
	"slices"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/catalog"
	"queryengine/pkg/gqlname"
	"queryengine/pkg/session"
)

const (
	// defaultPublishedBytes is the size of a stream of published changes, leastPublishedBytes the smallest one.
	defaultPublishedBytes = 1 << 30
	leastPublishedBytes   = 1 << 20
)

// PublishedChanges are tables whose changes are published as a role sees them.
type PublishedChanges struct {
	// Name is that of the stream, within its source.
	Name   string         `json:"name" meta:"required,nonempty"`
	Tables []catalog.Name `json:"tables" meta:"required"`
	Role   string         `json:"role" meta:"required,nonempty"`
	// SessionVariables are what the rules of the role ask for.
	SessionVariables map[string]string `json:"session_variables,omitempty"`
	// MaxBytes is the size of the stream at which the oldest messages leave; 0 for 1 GiB.
	MaxBytes int64 `json:"max_bytes,omitempty"`
}

func (p *PublishedChanges) check() error {
	if !gqlname.Valid(p.Name) {
		return apierror.At(nameError(p.Name), "name")
	}
	if len(p.Tables) == 0 {
		return apierror.At(apierror.New(apierror.ParseFailed, "expected at least one table"), "tables")
	}
	slices.SortFunc(p.Tables, catalog.Name.Compare)
	for i, t := range p.Tables {
		if i > 0 && t == p.Tables[i-1] {
			return apierror.At(apierror.Newf(apierror.ParseFailed, "table %q is there twice", t.Name), "tables")
		}
	}
	for _, name := range sortedKeys(p.SessionVariables) {
		if own, ok := session.Canonical(strings.ToLower(name)); !ok || own == session.RoleHeader {
			return apierror.At(apierror.Newf(apierror.ParseFailed, "%q is not a session variable that can be set", name), "session_variables")
		}
	}
	if len(p.SessionVariables) > 0 {
		lower := make(map[string]string, len(p.SessionVariables))
		for name, value := range p.SessionVariables {
			lower[strings.ToLower(name)] = value
		}
		p.SessionVariables = session.Own(lower)
	}
	if p.MaxBytes != 0 && p.MaxBytes < leastPublishedBytes {
		return apierror.At(apierror.Newf(apierror.ParseFailed, "expected at least %d bytes", leastPublishedBytes), "max_bytes")
	}
	return nil
}

// StreamBytes is the size of the stream at which the oldest messages leave.
func (p *PublishedChanges) StreamBytes() int64 {
	if p.MaxBytes == 0 {
		return defaultPublishedBytes
	}
	return p.MaxBytes
}

// Session is the one that the rules are for.
func (p *PublishedChanges) Session() *session.Session {
	variables := make(map[string]string, len(p.SessionVariables))
	for name, value := range p.SessionVariables {
		variables[name] = value
	}
	return session.New(p.Role, variables)
}

// PublishChanges are the arguments of publish_changes.
type PublishChanges struct {
	Source  string `json:"source" meta:"default=default"`
	Replace bool   `json:"replace"`
	PublishedChanges
}

func (a *PublishChanges) check() error { return a.PublishedChanges.check() }

// Apply adds the publication, or replaces the one of its name.
func (a *PublishChanges) Apply(v View) (*Result, error) {
	source, err := v.source(a.Source)
	if err != nil {
		return nil, err
	}
	there := source.Published(a.Name) != nil
	switch {
	case there && !a.Replace:
		return nil, apierror.Newf(apierror.AlreadyExists, "published changes %q already exist in source %q", a.Name, a.Source)
	case !there && a.Replace:
		return nil, noPublishedChanges(a.Name, a.Source)
	}
	changed, published := *source, a.PublishedChanges
	changed.PublishedChanges = inserted(source.PublishedChanges, &published, publishedName)
	return &Result{Document: v.Document.withSource(&changed), Objects: []ObjectID{PublishedID(a.Source, a.Name)}}, nil
}

// UnpublishChanges are the arguments of unpublish_changes.
type UnpublishChanges struct {
	Source string `json:"source" meta:"default=default"`
	Name   string `json:"name" meta:"required,nonempty"`
}

// Apply removes the publication.
func (a *UnpublishChanges) Apply(v View) (*Result, error) {
	source, err := v.source(a.Source)
	if err != nil {
		return nil, err
	}
	if source.Published(a.Name) == nil {
		return nil, noPublishedChanges(a.Name, a.Source)
	}
	return &Result{Document: v.Document.Without(PublishedID(a.Source, a.Name)), Verdict: VerdictAny}, nil
}

// Published returns the published changes of that name, or nil.
func (s *Source) Published(name string) *PublishedChanges {
	return find(s.PublishedChanges, publishedName, name)
}

func (s *Source) checkPublished() error {
	slices.SortFunc(s.PublishedChanges, func(a, b *PublishedChanges) int { return strings.Compare(a.Name, b.Name) })
	if d := duplicates(s.PublishedChanges, publishedName); d != "" {
		return duplicateError("published changes", d)
	}
	return nil
}

func noPublishedChanges(name, source string) error {
	return apierror.Newf(apierror.NotExists, "published changes %q do not exist in source %q", name, source)
}

func publishedName(p *PublishedChanges) string { return p.Name }

// PublishedID names published changes.
func PublishedID(source, name string) ObjectID {
	return ObjectID{Kind: ObjectPublishedChanges, Source: source, Name: name}
}
