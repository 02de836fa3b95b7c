package cache

import (
	"context"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"
)

// Store is where entries are, shared by all executors. *bus.Cache is one.
type Store interface {
	// Get fails when there is no entry.
	Get(ctx context.Context, family, key string) (body []byte, expires time.Time, err error)
	Put(ctx context.Context, family, key string, body []byte, ttl time.Duration) error
}

// tagStore is a Store that removes entries by what they are tagged with. *bus.Cache is one.
type tagStore interface {
	Clear(ctx context.Context, family, key string) error
	Tag(ctx context.Context, tag, family string, ttl time.Duration) error
	// Purged is a text that changes whenever entries with the tag are removed.
	Purged(ctx context.Context, tag string) (string, error)
}

// Config bounds a Cache.
type Config struct {
	// MaxTTL is how long an entry lives at most.
	MaxTTL time.Duration
	// MaxEntry is the size of the largest entry.
	MaxEntry int
	// Budget is how many bytes may be written at once.
	Budget int64
}

// Cache is safe for concurrent use.
type Cache struct {
	Config
	store  Store
	log    *slog.Logger
	budget *budget
	// held are the bytes of answers that are held back.
	held atomic.Int64
}

// New returns a Cache on a store.
func New(c Config, store Store, log *slog.Logger) *Cache {
	return &Cache{Config: c, store: store, log: log, budget: newBudget(c.Budget, time.Now())}
}

// heldEntries is how many of the largest answers may be held back at once.
const heldEntries = 16

// reserve allows n more bytes to be held back, if they fit.
func (c *Cache) reserve(n int) bool {
	if c.held.Add(int64(n)) <= heldEntries*int64(c.MaxEntry) {
		return true
	}
	c.free(n)
	return false
}

func (c *Cache) free(n int) { c.held.Add(-int64(n)) }

// Warning is why an answer wasn't stored; the text goes into the header Warning.
type Warning string

// The warnings.
const (
	NoWarning        Warning = ""
	CapacityExceeded Warning = "199 - cache-store-capacity-exceeded"
	SizeExceeded     Warning = "199 - cache-store-size-limit-exceeded"
	StoreFailed      Warning = "199 - cache-store-error"
)

// Get reads an answer, and how long it will live. A store that can't be reached has none.
func (c *Cache) Get(ctx context.Context, k Key) (body []byte, left time.Duration, ok bool) {
	body, expires, err := c.store.Get(ctx, k.Family, k.Key)
	left = time.Until(expires)
	return body, left, err == nil && left > 0
}

// TTL is how long an entry lives that is to live for so many seconds; 0 is not at all.
func (c *Cache) TTL(seconds int64) time.Duration {
	if seconds <= 0 {
		return 0
	}
	return time.Duration(min(seconds, int64(c.MaxTTL/time.Second))) * time.Second
}

// Put stores an answer for that long, or returns why it didn't.
func (c *Cache) Put(ctx context.Context, k Key, body []byte, ttl time.Duration) Warning {
	if len(body) > c.MaxEntry {
		return SizeExceeded
	}
	if !c.budget.take(len(body), time.Now()) {
		return CapacityExceeded
	}
	if err := c.store.Put(ctx, k.Family, k.Key, body, ttl); err != nil {
		c.log.WarnContext(ctx, "answer was not cached", "error", err)
		return StoreFailed
	}
	return NoWarning
}

// Purges are texts that change when the entries with tags are removed. A store that can't tell has entries removed by nothing but their
// end.
func (c *Cache) Purges(ctx context.Context, tags []string) (texts []string, err error) {
	s, ok := c.store.(tagStore)
	if !ok {
		return nil, nil
	}
	texts = make([]string, len(tags))
	for i, tag := range tags {
		if texts[i], err = s.Purged(ctx, tag); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// PutTagged is Put for an answer with tags. before are the Purges from before the answer was made: one that a purge has overtaken, or that
// changed reports to be outdated, is removed again.
func (c *Cache) PutTagged(ctx context.Context, k Key, body []byte, ttl time.Duration, tags, before []string, changed func() bool) Warning {
	s, ok := c.store.(tagStore)
	if !ok {
		return c.Put(ctx, k, body, ttl)
	}
	for _, tag := range tags {
		if err := s.Tag(ctx, tag, k.Family, ttl); err != nil {
			c.log.WarnContext(ctx, "answer was not cached", "error", err)
			return StoreFailed
		}
	}
	warning := c.Put(ctx, k, body, ttl)
	if after, err := c.Purges(ctx, tags); err != nil || !slices.Equal(before, after) || changed() {
		c.Forget(ctx, k.Family)
		return StoreFailed
	}
	return warning
}

// Forget removes the answers of a family.
func (c *Cache) Forget(ctx context.Context, family string) {
	if s, ok := c.store.(tagStore); ok {
		if err := s.Clear(ctx, family, ""); err != nil {
			c.log.WarnContext(ctx, "outdated answers stay until they end", "error", err)
		}
	}
}
