package documents

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"queryengine/pkg/apierror"
	"queryengine/pkg/metadata"
	"queryengine/pkg/session"
	"queryengine/services/gateway/internal/request"
)

// Config configures a Store.
type Config struct {
	// Listed reports whether the setting of the allow list is on.
	Listed bool
	// Keep is how long a document of a client is kept after its last use, 0 to keep none.
	Keep time.Duration
}

// Store finds documents. It is safe for concurrent use.
type Store struct {
	config Config
	last   atomic.Pointer[index]
	sent   *sent
}

// New returns a Store.
func New(c Config) *Store { return &Store{config: c, sent: newSent(c.Keep, time.Now)} }

// index are the documents of one version of the metadata.
type index struct {
	document *metadata.Document
	rules    *metadata.DocumentRules
	// ids has the texts by their ids, and hashes by the SHA-256 of the text in hexadecimal digits.
	ids, hashes map[string]string
}

// of returns the index of a version, which is made when something of it has changed.
func (s *Store) of(doc *metadata.Document) *index {
	last := s.last.Load()
	if doc == nil {
		return &index{}
	}
	if last != nil && last.document == doc {
		return last
	}
	next := &index{document: doc, rules: doc.RulesOfDocuments()}
	if last != nil && slices.Equal(last.document.QueryCollections, doc.QueryCollections) {
		next.ids, next.hashes = last.ids, last.hashes
	} else {
		next.ids, next.hashes = map[string]string{}, map[string]string{}
		for _, c := range doc.QueryCollections {
			for _, q := range c.Definition.Queries {
				next.add(q)
			}
		}
	}
	s.last.Store(next)
	return next
}

// add adds a document. An id of two texts names none.
func (x *index) add(q metadata.StoredQuery) {
	x.hashes[hashOf(q.Query)] = q.Query
	if q.ID == "" {
		return
	}
	if other, taken := x.ids[q.ID]; taken && other != q.Query {
		x.ids[q.ID] = ""
		return
	}
	x.ids[q.ID] = q.Query
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Stored gives a request the text of the document of a collection that it names, and reports whether there is one.
func (s *Store) Stored(doc *metadata.Document, r *request.GraphQL) bool {
	if r.Query != "" {
		return false
	}
	x := s.of(doc)
	if hash := r.Document.Hash; hash != "" {
		if r.Query = x.hashes[hash]; r.Query == "" {
			r.Query = x.ids[hash] // clients send ids of their tools as hashes
		}
	} else if id := r.Document.ID; id != "" {
		if r.Query = x.ids[id]; r.Query == "" {
			r.Query = x.hashes[strings.TrimPrefix(id, "sha256:")]
		}
	}
	return r.Query != ""
}

// Find gives a request of a session the text that it names. A request that sends its text keeps it; Keep then takes it.
func (s *Store) Find(doc *metadata.Document, of *session.Session, r *request.GraphQL) error {
	switch {
	case !r.Document.Named():
		return nil
	case r.Document.ID != "" && (r.Query != "" || r.Document.Persisted):
		return apierror.New(apierror.BadRequest, "a request has either a documentId or another way to name its document")
	case s.Stored(doc, r):
		return nil
	case r.Document.ID != "":
		return notFound()
	}
	x := s.of(doc)
	hash := r.Document.Hash
	keeps := s.config.Keep > 0 && (of.IsAdmin() || x.rules.Of(of.Role, s.config.Listed) == metadata.AnyDocument)
	switch {
	case r.Query == "" && !keeps:
		return request.ErrPersistedQuery()
	case r.Query == "":
		if r.Query = s.sent.find(of.Role, hash); r.Query == "" {
			return notFound()
		}
	case hash != "" && hash != hashOf(r.Query):
		return apierror.New(apierror.BadRequest, "provided sha does not match query")
	case keeps && hash != "":
		r.Document.New = true
	case x.hashes[hash] == "":
		return request.ErrPersistedQuery()
	}
	return nil
}

// Keep takes the document of a request that was answered, where Find has found that it may be kept.
func (s *Store) Keep(of *session.Session, r *request.GraphQL) {
	if r.Document.New {
		s.sent.add(of.Role, r.Document.Hash, r.Query)
	}
}

// notFound is the answer that has clients send the text.
func notFound() *apierror.Error {
	return apierror.New(apierror.NotFound, "PersistedQueryNotFound").WithStatus(http.StatusNotFound)
}
