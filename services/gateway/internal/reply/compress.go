package reply

import (
	"io"
	"sync"
	"sync/atomic"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

const (
	compressFrom = 700   // bytes; smaller bodies stay plain
	denseFrom    = 20000 // bytes; larger bodies are worth more work

	// maxStreams is how many answers are packed while they are sent. Each holds an encoder of
	// up to 2 MB for as long as its client takes; further ones go plain.
	maxStreams = 128

	// window bounds what an encoder, and the client's decoder, keeps of what went before.
	windowBits = 18
	window     = 1 << windowBits
)

// encoder compresses what is written to it. It is reused after Reset.
type encoder interface {
	io.WriteCloser
	Reset(to io.Writer)
	// Flush hands on all that was written.
	Flush() error
}

// newEncoder makes an encoder of bodies from denseFrom on (dense), or of smaller ones.
func newEncoder(e Encoding, dense bool) encoder {
	switch e {
	case Zstd:
		// One level for all: packing more takes more work and saves nothing on JSON.
		z, _ := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
			zstd.WithWindowSize(window), zstd.WithLowerEncoderMem(true)) // all options are valid
		return z
	case Brotli:
		quality := 1
		if dense {
			quality = 3
		}
		return brotli.NewWriterOptions(nil, brotli.WriterOptions{Quality: quality, LGWin: windowBits})
	default:
		level := gzip.BestSpeed
		if dense {
			level = 6
		}
		z, _ := gzip.NewWriterLevel(nil, level) // both levels are valid
		return z
	}
}

// Compressor keeps encoders, which are too large to make for each answer. It is safe for concurrent
// use.
type Compressor struct {
	small, dense [encodings]sync.Pool // of encoder
	packs        sync.Pool            // of *pack
	streams      atomic.Int64
}

// pack is the compressed form of a whole body.
type pack struct{ bytes []byte }

func (p *pack) Write(b []byte) (int, error) {
	p.bytes = append(p.bytes, b...)
	return len(b), nil
}

// pack compresses a body; the result is good until unpack.
func (c *Compressor) pack(e Encoding, body []byte) (*pack, error) {
	p, ok := c.packs.Get().(*pack)
	if !ok {
		p = &pack{}
	}
	p.bytes = p.bytes[:0]
	dense := len(body) > denseFrom
	z := c.get(e, dense)
	defer c.put(e, dense, z)
	z.Reset(p)
	if _, err := z.Write(body); err != nil {
		return nil, err
	}
	return p, z.Close()
}

func (c *Compressor) unpack(p *pack) { c.packs.Put(p) }

// stream gives an encoder for an answer that is sent while it comes, nil when there are too
// many of them.
func (c *Compressor) stream(e Encoding, to io.Writer) encoder {
	if c.streams.Add(1) > maxStreams {
		c.streams.Add(-1)
		return nil
	}
	z := c.get(e, true)
	z.Reset(to)
	return z
}

// endStream takes an encoder of stream back.
func (c *Compressor) endStream(e Encoding, z encoder) {
	c.streams.Add(-1)
	c.put(e, true, z)
}

func (c *Compressor) get(e Encoding, dense bool) encoder {
	if z, ok := c.pool(e, dense).Get().(encoder); ok {
		return z
	}
	return newEncoder(e, dense)
}

func (c *Compressor) put(e Encoding, dense bool, z encoder) { c.pool(e, dense).Put(z) }

func (c *Compressor) pool(e Encoding, dense bool) *sync.Pool {
	if dense && e != Zstd { // which has one level
		return &c.dense[e]
	}
	return &c.small[e]
}
