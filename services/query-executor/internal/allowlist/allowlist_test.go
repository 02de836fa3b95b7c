package allowlist_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/metadata"
	"queryengine/pkg/session"
	"queryengine/services/query-executor/internal/allowlist"
)

func document() *metadata.Document {
	doc := metadata.Empty()
	collection := func(name string, queries ...string) {
		c := &metadata.QueryCollection{Name: name}
		for _, q := range queries {
			c.Definition.Queries = append(c.Definition.Queries, metadata.StoredQuery{Name: q, Query: q})
		}
		doc.QueryCollections = append(doc.QueryCollections, c)
	}
	collection("clerks", "{ stock { id } }", "{ bill { id } }")
	collection("everyone", "{ kind { id __typename } }", "{ any { ... on kind { id } } }")
	collection("auditors", "query { bill { id } }")
	collection("unlisted", "{ secret { id } }")
	doc.Allowlist = []*metadata.AllowlistEntry{
		{Collection: "auditors", Scope: metadata.AllowlistScope{Roles: []string{"auditor"}}},
		{Collection: "clerks", Scope: metadata.AllowlistScope{Roles: []string{"clerk"}}},
		{Collection: "everyone", Scope: metadata.AllowlistScope{Global: true}},
		{Collection: "gone", Scope: metadata.AllowlistScope{Global: true}},
	}
	return doc
}

func TestCheck(t *testing.T) {
	t.Parallel()
	l := allowlist.New(document(), true, nil)
	for _, c := range []struct {
		role, query string
		allowed     bool
	}{
		{"clerk", "{ stock { id } }", true},
		{"clerk", "{stock{id,__typename}} # all", true},
		{"clerk", "{ stock { id name } }", false},
		{"guest", "{ kind { ... on kind { id __typename } } }", false}, // another document
		{"guest", "{ any { ... on kind { __typename id } __typename } }", true},
		{"clerk", "{ bill { id } }", true},
		{"auditor", "{ bill { id } }", true},
		{"auditor", "{ stock { id } }", false},
		{"guest", "{ kind { id } }", true},
		{"guest", "{ bill { id } }", false},
		{"guest", "{ secret { id } }", false},
		{"guest", "{ __schema { types { name } } }", false},
		{"guest", "{ kind {", false},
		{"admin", "{ secret { id } }", true},
	} {
		err := l.Check(&session.Session{Role: c.role}, c.query)
		if c.allowed {
			require.NoError(t, err, "%s: %s", c.role, c.query)
			continue
		}
		e := apierror.From(err)
		require.Equal(t, "query is not allowed", e.Message, "%s: %s", c.role, c.query)
		require.Equal(t, apierror.ValidationFailed, e.Code)
		require.Equal(t, "$", e.Path)
		require.JSONEq(t, `{"message":"query is not in any of the allowlists"}`, string(e.InternalJSON()))
	}
}

// TestRules: a role's rule counts, whatever the setting says of roles without a rule.
func TestRules(t *testing.T) {
	t.Parallel()
	doc := document()
	require.Nil(t, allowlist.New(doc, false, nil), "every role may run any document")
	const anything, known, listed = "{ anything }", "{secret{id}}", "{ stock { id } }"
	for _, c := range []struct {
		rules     string
		byDefault bool
		role      string
		may       []string
	}{
		{"", true, "clerk", []string{listed}},
		{`{"roles":{"clerk":"any"}}`, true, "clerk", []string{anything, known, listed}},
		{`{"roles":{"clerk":"known"}}`, true, "clerk", []string{known, listed}},
		{`{"roles":{"clerk":"known"}}`, true, "guest", nil},
		{`{"roles":{"clerk":"listed"}}`, false, "clerk", []string{listed}},
		{`{"roles":{"clerk":"listed"}}`, false, "guest", []string{anything, known, listed}},
		{`{"default":"known","roles":{"clerk":"listed"}}`, false, "guest", []string{known, listed}},
		{`{"default":"any"}`, true, "guest", []string{anything, known, listed}},
		{`{"default":"listed"}`, false, "admin", []string{anything, known, listed}},
		{`{"default":"nonsense"`, false, "clerk", []string{listed}},
	} {
		next := *doc
		if c.rules != "" {
			next.DocumentRules = []byte(c.rules)
		}
		for _, previous := range []*allowlist.List{nil, allowlist.New(doc, true, nil)} {
			l := allowlist.New(&next, c.byDefault, previous)
			for _, text := range []string{anything, known, listed} {
				err := l.Check(&session.Session{Role: c.role}, text)
				require.Equal(t, slices.Contains(c.may, text), err == nil, "%s %v %s: %s", c.rules, c.byDefault, c.role, text)
			}
		}
	}
}

func TestChange(t *testing.T) {
	t.Parallel()
	doc := document()
	l := allowlist.New(doc, true, nil)
	same := *doc
	same.Actions = nil
	require.Same(t, l, allowlist.New(&same, true, l))
	other := *doc
	other.Allowlist = other.Allowlist[:2]
	changed := allowlist.New(&other, true, l)
	clerk := &session.Session{Role: "clerk"}
	require.NoError(t, l.Check(clerk, "{ kind { id } }"))
	require.Error(t, changed.Check(clerk, "{ kind { id } }"))
	require.NoError(t, changed.Check(clerk, "{ stock { id } }"))
}
