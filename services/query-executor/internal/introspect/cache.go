package introspect

import (
	"container/list"
	"context"
	"sync"

	"github.com/klauspost/compress/zstd"

	"queryengine/pkg/backend"
)

const (
	// blockSize is how much of an answer is packed at once.
	blockSize = 256 << 10
	// fieldSize is about how many bytes a Field takes.
	fieldSize = 96
)

// Cache keeps the answers to fields, packed, up to a number of bytes: those that were requested
// last. An answer belongs to its Field, which is part of a plan, and so to one role, one document
// and one version of the metadata. A Cache is safe for concurrent use.
type Cache struct {
	most    int
	encoder *zstd.Encoder
	decoder *zstd.Decoder
	buffers sync.Pool // of *[]byte

	mu      sync.Mutex
	used    int
	answers map[*Field]*list.Element // of *packed
	recent  *list.List
}

// packed is an answer in blocks that can be unpacked one by one.
type packed struct {
	field  *Field
	blocks [][]byte
	size   int
}

// NewCache returns an empty Cache for that many bytes.
func NewCache(most int) (*Cache, error) {
	c := &Cache{most: most, answers: map[*Field]*list.Element{}, recent: list.New()}
	c.buffers.New = func() any { b := make([]byte, 0, blockSize); return &b }
	var err error
	c.encoder, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(blockSize), zstd.WithLowerEncoderMem(true))
	if err == nil {
		c.decoder, err = zstd.NewReader(nil, zstd.WithDecoderLowmem(true))
	}
	return c, err
}

// Clear forgets all answers.
func (c *Cache) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.answers)
	c.recent.Init()
	c.used = 0
}

// find returns the answers to all of the fields, or nil.
func (c *Cache) find(fields []*Field) map[*Field]*packed {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := make(map[*Field]*packed, len(fields))
	for _, f := range fields {
		e := c.answers[f]
		if e == nil {
			return nil
		}
		c.recent.MoveToFront(e)
		found[f] = e.Value.(*packed)
	}
	return found
}

// add keeps an answer, and evicts the least recently used ones.
func (c *Cache) add(p *packed) {
	p.size += p.field.size()
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.size > c.most || c.answers[p.field] != nil {
		return
	}
	c.answers[p.field] = c.recent.PushFront(p)
	for c.used += p.size; c.used > c.most; {
		oldest := c.recent.Remove(c.recent.Back()).(*packed)
		delete(c.answers, oldest.field)
		c.used -= oldest.size
	}
}

// size is about how many bytes the field takes that an answer keeps in memory.
func (f *Field) size() int {
	n := fieldSize
	for i := range f.Fields {
		n += f.Fields[i].size()
	}
	return n
}

// write unpacks an answer.
func (c *Cache) write(ctx context.Context, p *packed, out *backend.Answer) error {
	buffer := c.buffers.Get().(*[]byte)
	defer c.buffers.Put(buffer)
	for _, block := range p.blocks {
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		if *buffer, err = c.decoder.DecodeAll(block, (*buffer)[:0]); err != nil {
			return err
		}
		if err := out.Append(*buffer); err != nil {
			return err
		}
	}
	return nil
}

// packer packs what it hands on.
type packer struct {
	*packed
	cache *Cache
	out   *backend.Answer
}

// Write implements io.Writer. What is too large to be kept is handed on only.
func (p *packer) Write(b []byte) (int, error) {
	if p.size <= p.cache.most {
		block := p.cache.encoder.EncodeAll(b, nil)
		p.blocks = append(p.blocks, block)
		p.size += len(block)
	} else {
		p.blocks = nil
	}
	return len(b), p.out.Append(b)
}

// keep has f write the answer to a field, and keeps it when it is whole.
func (c *Cache) keep(field *Field, out *backend.Answer, f func(*backend.Answer) error) error {
	p := &packer{&packed{field: field}, c, out}
	buffer := c.buffers.Get().(*[]byte)
	defer c.buffers.Put(buffer)
	through := backend.NewAnswer(*buffer, p, blockSize)
	err := f(through)
	if err == nil {
		err = through.Close()
	}
	if err == nil {
		c.add(p.packed)
	}
	*buffer = through.Buf[:0]
	return err
}
