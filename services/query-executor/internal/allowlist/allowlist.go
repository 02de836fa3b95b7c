// Package allowlist decides which documents roles other than admin may run: those of the
// collections on the metadata's allow list, whatever blanks, comments and selections of
// __typename a client writes.
package allowlist

import (
	"slices"

	"queryengine/pkg/apierror"
	"queryengine/pkg/metadata"
	"queryengine/pkg/querydoc"
	"queryengine/pkg/session"
)

// List is the allow list of one metadata document. It is safe for concurrent use.
type List struct {
	document *metadata.Document
	// normal holds the listed queries by their normal text. texts holds them as they are
	// stored, so that a client that sends just that costs no parsing.
	normal, texts map[string]*scope
}

// scope is the roles that may run a query.
type scope struct {
	global bool
	roles  map[string]bool
}

// New returns the list of a document. prev, which may be nil, is the list of the document
// before: it is taken over when nothing of it changed.
func New(doc *metadata.Document, prev *List) *List {
	if prev != nil && slices.Equal(prev.document.Allowlist, doc.Allowlist) &&
		slices.Equal(prev.document.QueryCollections, doc.QueryCollections) {
		return prev
	}
	l := &List{document: doc, normal: map[string]*scope{}, texts: map[string]*scope{}}
	for _, entry := range doc.Allowlist {
		if c := doc.QueryCollection(entry.Collection); c != nil {
			for _, q := range c.Definition.Queries {
				l.add(q.Query, entry.Scope)
			}
		}
	}
	return l
}

// add lists a query. One that is in several collections is for the roles of all of them.
func (l *List) add(text string, by metadata.AllowlistScope) {
	parsed, err := querydoc.Parse(text)
	if err != nil {
		return // it could not be run either
	}
	normal := parsed.Normal()
	s := l.normal[normal]
	if s == nil {
		s = &scope{roles: map[string]bool{}}
		l.normal[normal] = s
	}
	l.texts[text] = s
	s.global = s.global || by.Global
	for _, role := range by.Roles {
		s.roles[role] = true
	}
}

// Check refuses a document that the caller's role may not run.
func (l *List) Check(s *session.Session, text string) error {
	if s.IsAdmin() {
		return nil
	}
	found := l.texts[text]
	if found == nil {
		if parsed, err := querydoc.Parse(text); err == nil {
			found = l.normal[parsed.Normal()]
		}
	}
	if found != nil && (found.global || found.roles[s.Role]) {
		return nil
	}
	return apierror.New(apierror.ValidationFailed, "query is not allowed").
		WithInternal(map[string]string{"message": "query is not in any of the allowlists"})
}
