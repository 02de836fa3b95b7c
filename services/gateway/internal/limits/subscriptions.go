package limits

import (
	"crypto/sha256"
	"sync"

	"queryengine/pkg/apierror"
	"queryengine/pkg/session"
)

// Subscriptions counts the running subscriptions of each session, over all its connections. It
// is safe for concurrent use.
type Subscriptions struct {
	most int

	mu      sync.Mutex
	running map[sessionKey]int
}

// sessionKey identifies a session, however large its variables are.
type sessionKey [sha256.Size]byte

// NewSubscriptions lets each session but those of admin have most subscriptions, 0 for any number.
func NewSubscriptions(most int) *Subscriptions {
	return &Subscriptions{most: most, running: map[sessionKey]int{}}
}

// Begin counts a subscription of a session until end is called, which may be called more than
// once; it refuses one too many. address is the client's.
func (s *Subscriptions) Begin(of *session.Session, address string) (end func(), err error) {
	if s.most == 0 || of.IsAdmin() {
		return func() {}, nil
	}
	key := keyOf(of, address)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running[key] >= s.most {
		return nil, apierror.Newf(apierror.StartFailed, "the session has too many subscriptions: at most %d are allowed", s.most)
	}
	s.running[key]++
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.running[key]--; s.running[key] == 0 {
			delete(s.running, key)
		}
	}), nil
}

// keyOf uses the role and the session variables. Callers without credentials choose theirs freely, so
// their address is used instead.
func keyOf(s *session.Session, address string) sessionKey {
	if s.Anonymous {
		return sha256.Sum256([]byte(s.Role + "\x00" + address))
	}
	return sha256.Sum256(append([]byte(s.Role+"\x00\x00"), s.JSON()...))
}
