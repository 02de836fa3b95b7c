package allowlist_test

import (
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
	collection("everyone", "{ kind { id __typename } }")
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
	l := allowlist.New(document(), nil)
	for _, c := range []struct {
		role, query string
		allowed     bool
	}{
		{"clerk", "{ stock { id } }", true},
		{"clerk", "{stock{id,__typename}} # all", true},
		{"clerk", "{ stock { id name } }", false},
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

func TestChange(t *testing.T) {
	t.Parallel()
	doc := document()
	l := allowlist.New(doc, nil)
	same := *doc
	same.Actions = nil
	require.Same(t, l, allowlist.New(&same, l))
	other := *doc
	other.Allowlist = other.Allowlist[:2]
	changed := allowlist.New(&other, l)
	clerk := &session.Session{Role: "clerk"}
	require.NoError(t, l.Check(clerk, "{ kind { id } }"))
	require.Error(t, changed.Check(clerk, "{ kind { id } }"))
	require.NoError(t, changed.Check(clerk, "{ stock { id } }"))
}
