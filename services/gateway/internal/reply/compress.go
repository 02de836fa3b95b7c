package reply

import (
	"sync"

	"github.com/klauspost/compress/gzip"
)

const (
	compressFrom = 700   // bytes; smaller bodies stay plain
	denseFrom    = 20000 // bytes; larger bodies are worth more work

	fastLevel  = 1
	denseLevel = 6
)

// Compressor keeps what is too large to make for each answer. It is safe for concurrent
// use.
type Compressor struct {
	fast, dense sync.Pool // of *gzip.Writer
	packs       sync.Pool // of *pack
}

// pack is the compressed form of a whole body.
type pack struct{ bytes []byte }

func (p *pack) Write(b []byte) (int, error) {
	p.bytes = append(p.bytes, b...)
	return len(b), nil
}

// pack compresses a body; the result is good until unpack.
func (c *Compressor) pack(body []byte) (*pack, error) {
	p, ok := c.packs.Get().(*pack)
	if !ok {
		p = &pack{}
	}
	p.bytes = p.bytes[:0]
	level := fastLevel
	if len(body) > denseFrom {
		level = denseLevel
	}
	z := c.get(level)
	defer c.put(level, z)
	z.Reset(p)
	if _, err := z.Write(body); err != nil {
		return nil, err
	}
	return p, z.Close()
}

func (c *Compressor) unpack(p *pack) { c.packs.Put(p) }

func (c *Compressor) get(level int) *gzip.Writer {
	if z, ok := c.pool(level).Get().(*gzip.Writer); ok {
		return z
	}
	z, _ := gzip.NewWriterLevel(nil, level) // both levels are valid
	return z
}

func (c *Compressor) put(level int, z *gzip.Writer) { c.pool(level).Put(z) }

func (c *Compressor) pool(level int) *sync.Pool {
	if level == fastLevel {
		return &c.fast
	}
	return &c.dense
}
