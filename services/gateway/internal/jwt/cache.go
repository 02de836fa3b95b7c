package jwt

import (
	"crypto/sha256"
	"sync"
)

const (
	// generation is how many verified tokens a generation of the cache holds; there are two.
	generation = 2048
	// longestCached bounds the tokens that are kept: their claims are kept with them.
	longestCached = 8 << 10
)

// tokenID is the hash of a token. Tokens themselves are not kept.
type tokenID [sha256.Size]byte

// verified is a token whose signature is right, by keys.
type verified struct {
	keys    *[]*key
	payload map[string]any
}

// cache remembers tokens whose signature was verified, since that is most of the cost of a
// request with a token. It remembers nothing else: times, audience and roles are looked at each
// time, and a token counts for the key set that verified it only.
//
// What was used least lately goes: a token of the old generation that is used moves to the new
// one, and a full new generation becomes the old one.
type cache struct {
	mu         sync.Mutex
	fresh, old map[tokenID]verified
}

func newCache() *cache { return &cache{fresh: map[tokenID]verified{}} }

// find is the payload of a token that keys have verified.
func (c *cache) find(id tokenID, keys *[]*key) (map[string]any, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.fresh[id]
	if !ok {
		if v, ok = c.old[id]; ok {
			delete(c.old, id)
			c.put(id, v)
		}
	}
	if !ok || v.keys != keys {
		return nil, false
	}
	return v.payload, true
}

// add keeps the payload of a token.
func (c *cache) add(id tokenID, v verified) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.put(id, v)
}

// drop forgets a token.
func (c *cache) drop(id tokenID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.fresh, id)
	delete(c.old, id)
}

// put adds to the fresh generation; the caller holds mu.
func (c *cache) put(id tokenID, v verified) {
	if len(c.fresh) >= generation {
		c.old, c.fresh = c.fresh, make(map[tokenID]verified, generation)
	}
	c.fresh[id] = v
}
