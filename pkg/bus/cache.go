package bus

import (
	"context"
	crand "crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// ErrNoEntry reports that a Cache has no such entry.
var ErrNoEntry = errors.New("there is no such entry in the cache")

// cachePatience bounds one operation on a Cache: callers can do without it.
const cachePatience = 2 * time.Second

// Cache is a bucket of entries that expire, shared by all processes. It is bounded by its bytes: the
// oldest entries are evicted first. It is kept in the memory of NATS, and lost when NATS restarts.
// metadata creates it (Ensure); its users read, write and clear entries, and can't change the bucket.
//
// An entry has a key and a family; both are NATS tokens. An entry that is larger than a message
// is several messages, <family>.<key>.<number>, that carry the same mark.
type Cache struct {
	bus *Bus

	mu     sync.Mutex
	stream jetstream.Stream
}

// QueryCache gives access to the cache of answers. The result is safe for concurrent use.
func (b *Bus) QueryCache() *Cache { return &Cache{bus: b} }

// cacheHeader is in front of each message of an entry.
type cacheHeader struct {
	expires time.Time
	mark    uint64
	parts   uint32
}

const cacheHeaderSize = 8 + 8 + 4

func (h cacheHeader) append(b []byte) []byte {
	b = binary.BigEndian.AppendUint64(b, uint64(h.expires.UnixMilli()))
	b = binary.BigEndian.AppendUint64(b, h.mark)
	return binary.BigEndian.AppendUint32(b, h.parts)
}

func readCacheHeader(b []byte) (cacheHeader, []byte, error) {
	if len(b) < cacheHeaderSize {
		return cacheHeader{}, nil, ErrNoEntry // not one of ours
	}
	return cacheHeader{
		expires: time.UnixMilli(int64(binary.BigEndian.Uint64(b))),
		mark:    binary.BigEndian.Uint64(b[8:]),
		parts:   binary.BigEndian.Uint32(b[16:]),
	}, b[cacheHeaderSize:], nil
}

// Get reads an entry, and when it ends. It fails with ErrNoEntry when there is none, or no bucket.
func (c *Cache) Get(ctx context.Context, family, key string) (body []byte, expires time.Time, err error) {
	err = c.do(ctx, func(ctx context.Context, s jetstream.Stream) error {
		var first cacheHeader
		for n := uint32(0); n == 0 || n < first.parts; n++ {
			m, err := s.GetLastMsgForSubject(ctx, cacheSubject(family, key, n))
			if errors.Is(err, jetstream.ErrMsgNotFound) {
				return ErrNoEntry
			}
			if err != nil {
				return err
			}
			h, part, err := readCacheHeader(m.Data)
			if err != nil {
				return err
			}
			if n == 0 {
				first, body = h, part
				continue
			}
			if h.mark != first.mark {
				return ErrNoEntry // it is being replaced
			}
			body = append(body, part...)
		}
		if expires = first.expires; !expires.After(time.Now()) {
			return ErrNoEntry
		}
		return nil
	})
	return body, expires, err
}

// Put stores an entry instead of the one that there may be. ttl is in whole seconds.
func (c *Cache) Put(ctx context.Context, family, key string, body []byte, ttl time.Duration) error {
	size := c.bus.frameLimit() - cacheHeaderSize
	h := cacheHeader{expires: time.Now().Add(ttl), mark: rand.Uint64(), parts: uint32(1 + max(0, len(body)-1)/size)}
	return c.do(ctx, func(ctx context.Context, _ jetstream.Stream) error {
		// The first part is written last: a reader that finds it finds the others.
		for n := h.parts; n > 0; n-- {
			part := body[int(n-1)*size : min(int(n)*size, len(body))]
			_, err := c.bus.js.Publish(ctx, cacheSubject(family, key, n-1),
				append(h.append(make([]byte, 0, cacheHeaderSize+len(part))), part...), jetstream.WithMsgTTL(ttl))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Clear removes the entries of a family and key; an empty one stands for all.
func (c *Cache) Clear(ctx context.Context, family, key string) error {
	err := c.do(ctx, func(ctx context.Context, s jetstream.Stream) error {
		return s.Purge(ctx, jetstream.WithPurgeSubject(cacheSubjects(family, key)))
	})
	if errors.Is(err, ErrNoEntry) {
		return nil
	}
	return err
}

// purgeSeen is how long a purge is remembered: longer than any answer that it overtakes may take.
const purgeSeen = time.Hour

// tagToken and purgeToken are the families of what is recorded about a tag.
func tagToken(tag string) string { return "tag-" + hashToken(tag) }

func purgeToken(tag string) string { return "purge-" + hashToken(tag) }

func hashToken(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}

// Tag records that entries of a family have a tag, before one of them is put.
func (c *Cache) Tag(ctx context.Context, tag, family string, ttl time.Duration) error {
	return c.Put(ctx, tagToken(tag), family, nil, ttl)
}

// Purged is a text that each Purge of the tag changes, empty for none lately.
func (c *Cache) Purged(ctx context.Context, tag string) (string, error) {
	body, _, err := c.Get(ctx, purgeToken(tag), "last")
	if errors.Is(err, ErrNoEntry) {
		err = nil
	}
	return string(body), err
}

// Purge removes the entries with a tag. Who puts one meanwhile reads Purged afterwards, and finds that it changed.
func (c *Cache) Purge(ctx context.Context, tag string) error {
	if err := c.Put(ctx, purgeToken(tag), "last", []byte(crand.Text()), purgeSeen); err != nil {
		return err
	}
	var families []string
	err := c.do(ctx, func(ctx context.Context, s jetstream.Stream) error {
		info, err := s.Info(ctx, jetstream.WithSubjectFilter(cacheSubjects(tagToken(tag), "")))
		if err != nil {
			return err
		}
		for subject := range info.State.Subjects {
			families = append(families, strings.Split(subject, ".")[3])
		}
		return nil
	})
	if err != nil && !errors.Is(err, ErrNoEntry) {
		return err
	}
	for _, family := range append(families, tagToken(tag)) {
		if err := c.Clear(ctx, family, ""); err != nil {
			return err
		}
	}
	return nil
}

// IsToken reports whether s can be a family or key.
func IsToken(s string) bool { return s != "" && !strings.ContainsAny(s, ".*> \t\r\n") }

// do runs f with the bucket. Without a bucket, as after a restart of NATS, there is no entry until Ensure has recreated it.
func (c *Cache) do(ctx context.Context, f func(context.Context, jetstream.Stream) error) error {
	ctx, cancel := context.WithTimeout(ctx, cachePatience)
	defer cancel()
	err := c.bus.connected(ctx, func(ctx context.Context) error {
		s, err := c.open(ctx)
		if err == nil {
			err = f(ctx, s)
		}
		return err
	})
	switch {
	case isNoStream(err):
		return ErrNoEntry
	case err != nil && !errors.Is(err, ErrNoEntry):
		return fmt.Errorf("the cache of answers: %w", err)
	}
	return err
}

// isNoStream recognises the errors by which NATS reports that a stream doesn't exist.
func isNoStream(err error) bool {
	return errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrNoStreamResponse) ||
		errors.Is(err, nats.ErrNoResponders)
}

// open holds no lock while it waits for NATS: each caller has a deadline of its own.
func (c *Cache) open(ctx context.Context) (jetstream.Stream, error) {
	c.mu.Lock()
	s := c.stream
	c.mu.Unlock()
	if s != nil {
		return s, nil
	}
	s, err := c.bus.js.Stream(ctx, cacheStream)
	if err == nil {
		c.mu.Lock()
		c.stream = s
		c.mu.Unlock()
	}
	return s, err
}

// Ensure creates the bucket where it is missing. The first call also sets its configuration: it holds up to maxBytes.
func (c *Cache) Ensure(ctx context.Context, maxBytes int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stream != nil {
		if _, err := c.stream.Info(ctx); !isNoStream(err) {
			return err
		}
	}
	s, err := c.bus.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name:              cacheStream,
		Description:       "answers of queries with @cached",
		Subjects:          []string{cacheSubjects("", "")},
		MaxMsgsPerSubject: 1,
		MaxBytes:          maxBytes,
		Discard:           jetstream.DiscardOld,
		Storage:           jetstream.MemoryStorage,
		AllowDirect:       true,
		AllowMsgTTL:       true,
		DenyDelete:        true,
		AllowRollup:       true,
	})
	if err == nil {
		c.stream = s
	}
	return err
}
