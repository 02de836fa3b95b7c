// Package allowlist decides which documents roles other than admin may run, by the rules of the metadata: any, those of collections, or
// those of collections on the allow list, whatever blanks, comments and selections of __typename a client writes.
package allowlist

import (
	"bytes"
	"slices"

	"queryengine/pkg/apierror"
	"queryengine/pkg/metadata"
	"queryengine/pkg/querydoc"
	"queryengine/pkg/session"
)

// List is the allow list of one metadata document. It is safe for concurrent use.
type List struct {
	document *metadata.Document
	rules    *metadata.DocumentRules
	// byDefault reports whether roles without a rule are limited to listed documents.
	byDefault bool
	// normal holds the stored queries by their normal text. texts holds them as they are
	// stored, so that a client that sends just that costs no parsing.
	normal, texts map[string]*scope
}

// scope is the roles that may run a query because it is listed.
type scope struct {
	normal string
	global bool
	roles  map[string]bool
}

// New returns the list of a document, nil where every role may run any document. byDefault limits roles without a rule to listed
// documents. prev, which may be nil, is the list of the document before: what didn't change of it is taken over.
func New(doc *metadata.Document, byDefault bool, prev *List) *List {
	rules := doc.RulesOfDocuments()
	if rules == nil && !byDefault {
		return nil
	}
	sameQueries := prev != nil && slices.Equal(prev.document.Allowlist, doc.Allowlist) &&
		slices.Equal(prev.document.QueryCollections, doc.QueryCollections)
	if sameQueries && bytes.Equal(prev.document.DocumentRules, doc.DocumentRules) {
		return prev
	}
	l := &List{document: doc, rules: rules, byDefault: byDefault, normal: map[string]*scope{}, texts: map[string]*scope{}}
	if sameQueries {
		l.normal, l.texts = prev.normal, prev.texts
		return l
	}
	for _, c := range doc.QueryCollections {
		for _, q := range c.Definition.Queries {
			l.add(q.Query, prev)
		}
	}
	for _, entry := range doc.Allowlist {
		if c := doc.QueryCollection(entry.Collection); c != nil {
			for _, q := range c.Definition.Queries {
				l.texts[q.Query].allow(entry.Scope)
			}
		}
	}
	return l
}

// add adds a stored query.
func (l *List) add(text string, prev *List) {
	if l.texts[text] != nil {
		return
	}
	normal := prev.normalOf(text)
	if normal == "" {
		parsed, err := querydoc.Parse(text)
		if err != nil {
			return // it could not be run either
		}
		normal = parsed.Normal()
	}
	s := l.normal[normal]
	if s == nil {
		s = &scope{normal: normal, roles: map[string]bool{}}
		l.normal[normal] = s
	}
	l.texts[text] = s
}

// normalOf is the normal text of a stored query that the list has, "" of another one.
func (l *List) normalOf(text string) string {
	if l == nil || l.texts[text] == nil {
		return ""
	}
	return l.texts[text].normal
}

// allow lists a query. One that is in several collections is for the roles of all of them.
func (s *scope) allow(by metadata.AllowlistScope) {
	if s == nil {
		return
	}
	s.global = s.global || by.Global
	for _, role := range by.Roles {
		s.roles[role] = true
	}
}

// Check refuses a document that the caller's role may not run.
func (l *List) Check(s *session.Session, text string) error {
	rule := l.rule(s)
	if rule == metadata.AnyDocument {
		return nil
	}
	found := l.texts[text]
	if found == nil {
		if parsed, err := querydoc.Parse(text); err == nil {
			found = l.normal[parsed.Normal()]
		}
	}
	if found != nil && (rule == metadata.KnownDocuments || found.global || found.roles[s.Role]) {
		return nil
	}
	return apierror.New(apierror.ValidationFailed, "query is not allowed").
		WithInternal(map[string]string{"message": "query is not in any of the allowlists"})
}

func (l *List) rule(s *session.Session) metadata.DocumentRule {
	if s.IsAdmin() {
		return metadata.AnyDocument
	}
	return l.rules.Of(s.Role, l.byDefault)
}
