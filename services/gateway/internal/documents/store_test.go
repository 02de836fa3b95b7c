package documents

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/metadata"
	"queryengine/pkg/session"
	"queryengine/services/gateway/internal/request"
)

func stored(queries ...metadata.StoredQuery) *metadata.Document {
	return &metadata.Document{QueryCollections: []*metadata.QueryCollection{{
		Name: "a", Definition: metadata.CollectionDefinition{Queries: queries},
	}}}
}

func byID(id string) request.GraphQL { return request.GraphQL{Document: request.Document{ID: id}} }

func byHash(hash, query string) request.GraphQL {
	return request.GraphQL{Query: query, Document: request.Document{Persisted: true, Hash: hash}}
}

func code(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	e := apierror.From(err)
	return string(e.Code) + " " + e.Message
}

const (
	unknown     = "not-found PersistedQueryNotFound"
	unsupported = "not-supported PersistedQueryNotSupported"
)

func TestDocumentsOfCollections(t *testing.T) {
	t.Parallel()
	doc := stored(
		metadata.StoredQuery{Name: "one", Query: "{ a }", ID: "1"}, metadata.StoredQuery{Name: "two", Query: "{ b }"},
		metadata.StoredQuery{Name: "x", Query: "{ x }", ID: "twice"}, metadata.StoredQuery{Name: "y", Query: "{ y }", ID: "twice"},
	)
	s, user := New(Config{}), session.New("user", nil)
	for name, c := range map[string]struct {
		request     request.GraphQL
		text, fault string
	}{
		"by text":                 {request: request.GraphQL{Query: "{ z }"}, text: "{ z }"},
		"by id":                   {request: byID("1"), text: "{ a }"},
		"by the hash as an id":    {request: byID(hashOf("{ b }")), text: "{ b }"},
		"by the name of the hash": {request: byID("sha256:" + hashOf("{ b }")), text: "{ b }"},
		"by hash":                 {request: byHash(hashOf("{ b }"), ""), text: "{ b }"},
		"by hash, with the text":  {request: byHash(hashOf("{ b }"), "{ b }"), text: "{ b }"},
		"names are no ids":        {request: byID("one"), fault: unknown},
		"an id of two documents":  {request: byID("twice"), fault: unknown},
		"an id as a hash":         {request: byHash("1", ""), text: "{ a }"},
		"an id as the wrong hash": {request: byHash("1", "{ a }"), fault: "bad-request provided sha does not match query"},
		"two documents as a hash": {request: byHash("twice", ""), fault: unsupported},
		"another hash":            {request: byHash(hashOf("{ c }"), ""), fault: unsupported},
		"another text":            {request: byHash(hashOf("{ a }"), "{ b }"), fault: "bad-request provided sha does not match query"},
		"a text of no collection": {request: byHash(hashOf("{ c }"), "{ c }"), fault: unsupported},
		"another version":         {request: byHash("", "{ a }"), fault: unsupported},
		"an id and a text":        {request: request.GraphQL{Query: "{ z }", Document: request.Document{ID: "1"}}, fault: "bad-request a request has either a documentId or another way to name its document"},
	} {
		r := c.request
		err := s.Find(doc, user, &r)
		require.Equal(t, c.fault, code(t, err), name)
		if err == nil {
			require.Equal(t, c.text, r.Query, name)
		}
	}

	next := *doc
	next.Allowlist = []*metadata.AllowlistEntry{{Collection: "a"}}
	r := byID("1")
	require.NoError(t, s.Find(&next, user, &r))
	r = byID("1")
	require.Equal(t, unknown, code(t, s.Find(stored(), user, &r)), "a document that was removed")
}

// TestSentDocuments: a role finds what it has sent, and roles whose documents are limited send none.
func TestSentDocuments(t *testing.T) {
	t.Parallel()
	doc := &metadata.Document{DocumentRules: []byte(`{"roles":{"listed":"listed","known":"known"}}`)}
	s := New(Config{Keep: time.Minute})
	hash := hashOf("{ a }")
	send := func(role string) error {
		r := byHash(hash, "{ a }")
		err := s.Find(doc, session.New(role, nil), &r)
		if err == nil {
			s.Keep(session.New(role, nil), &r)
		}
		return err
	}
	ask := func(role string) string {
		r := byHash(hash, "")
		return code(t, s.Find(doc, session.New(role, nil), &r))
	}
	for _, role := range []string{"listed", "known"} {
		require.Equal(t, unsupported, code(t, send(role)))
		require.Equal(t, unsupported, ask(role))
	}
	require.Equal(t, unknown, ask("user"))
	require.NoError(t, send("user"))
	require.Empty(t, ask("user"))
	require.Equal(t, unknown, ask("other"), "what another role has sent")
	require.Equal(t, unsupported, ask("listed"))

	refused := byHash(hash, "{ a }")
	require.NoError(t, s.Find(doc, session.New("other", nil), &refused))
	require.Equal(t, unknown, ask("other"), "only what was answered is kept")
	limited := New(Config{Listed: true, Keep: time.Minute})
	r := byHash(hash, "{ a }")
	require.Equal(t, unsupported, code(t, limited.Find(&metadata.Document{}, session.New("user", nil), &r)))
}

func TestSentDocumentsAreBounded(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	s := newSent(time.Minute, func() time.Time { return now })
	text := strings.Repeat("a", longestSent)
	s.add("user", "long", text+"a")
	require.Empty(t, s.find("user", "long"))
	s.add("user", "first", text)
	for i := range sentPerRole / longestSent {
		require.NotEmpty(t, s.find("user", "first"), "it is used")
		s.add("user", string(rune('a'+i)), text)
	}
	require.Empty(t, s.find("user", "a"), "the one that wasn't used for the longest time makes room")
	require.LessOrEqual(t, s.size, sentPerRole)
	for i := range 3 * sentAtMost / sentPerRole {
		for k := range sentPerRole / longestSent {
			s.add(string(rune('A'+i)), string(rune('a'+k)), text)
		}
	}
	require.LessOrEqual(t, s.size, sentAtMost)
	require.NotEmpty(t, s.find("A", string(rune('a'+sentPerRole/longestSent-1))), "roles make room evenly")

	s.add("late", "x", "{ a }")
	now = now.Add(59 * time.Second)
	require.Equal(t, "{ a }", s.find("late", "x"))
	now = now.Add(59 * time.Second)
	require.Equal(t, "{ a }", s.find("late", "x"), "from its last use on")
	now = now.Add(time.Minute)
	require.Empty(t, s.find("late", "x"))
	require.NotContains(t, s.roles, "late", "nothing is left of the role")
}
