package pgoutput

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"time"
)

// errShort reports that a message ends before it should.
var errShort = errors.New("the message is too short")

// epoch is the zero of PostgreSQL's times.
var epoch = time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)

// Time is the time of a number of microseconds in the protocol.
func Time(micros int64) time.Time { return epoch.Add(time.Duration(micros) * time.Microsecond) }

// Micros is the reverse of Time.
func Micros(t time.Time) int64 { return t.Sub(epoch).Microseconds() }

// RelationOf is the table of a row's change: the message needn't be decoded for that. ok is false for
// other messages.
func RelationOf(data []byte) (relation uint32, ok bool) {
	if len(data) < 5 || data[0] != 'I' && data[0] != 'U' && data[0] != 'D' {
		return 0, false
	}
	return binary.BigEndian.Uint32(data[1:]), true
}

// Decode decodes a message. Texts of values refer to data. An error means that the server speaks
// another version of the protocol, or that the connection isn't what it should be.
func Decode(data []byte) (Message, error) {
	if len(data) == 0 {
		return nil, errShort
	}
	r := &reader{rest: data[1:]}
	m := r.decode(data[0])
	switch {
	case r.err != nil:
		return nil, fmt.Errorf("pgoutput: message %q: %w", data[0], r.err)
	case len(r.rest) > 0:
		return nil, fmt.Errorf("pgoutput: message %q has %d bytes too many", data[0], len(r.rest))
	}
	return m, nil
}

func (r *reader) decode(kind byte) Message {
	switch kind {
	case 'B':
		return Begin{Final: r.lsn(), Time: r.time(), XID: r.uint32()}
	case 'C':
		r.byte() // flags, of which there are none
		return Commit{Commit: r.lsn(), End: r.lsn(), Time: r.time()}
	case 'O':
		return Origin{Commit: r.lsn(), Name: r.string()}
	case 'R':
		return r.relation()
	case 'Y':
		return Type{ID: r.uint32(), Schema: r.string(), Name: r.string()}
	case 'I':
		m := &Insert{Relation: r.uint32()}
		r.expect('N')
		m.New = r.tuple()
		return m
	case 'U':
		return r.update()
	case 'D':
		m := &Delete{Relation: r.uint32()}
		m.Old = r.old(r.byte())
		return m
	case 'T':
		return r.truncate()
	}
	r.err = errors.New("not known")
	return nil
}

func (r *reader) relation() *Relation {
	m := &Relation{ID: r.uint32(), Schema: r.string(), Name: r.string(), Identity: Identity(r.byte())}
	const least = 1 + 1 + 4 + 4 // bytes of a column
	n := r.count(least)
	if n == 0 {
		return m
	}
	m.Columns = make([]Column, n)
	for i := range m.Columns {
		m.Columns[i] = Column{
			Key: r.byte()&1 != 0, Name: r.string(), Type: r.uint32(),
			Modifier: int32(r.uint32()), //nolint:gosec // sent as such
		}
	}
	return m
}

func (r *reader) update() *Update {
	m := &Update{Relation: r.uint32()}
	kind := r.byte()
	if kind != 'N' {
		old := r.old(kind)
		m.Old = &old
		kind = r.byte()
	}
	if kind != 'N' && r.err == nil {
		r.err = fmt.Errorf("no new row but %q", kind)
	}
	m.New = r.tuple()
	return m
}

func (r *reader) old(kind byte) Old {
	if kind != 'K' && kind != 'O' && r.err == nil {
		r.err = fmt.Errorf("no old row but %q", kind)
	}
	return Old{Whole: kind == 'O', Tuple: r.tuple()}
}

func (r *reader) truncate() *Truncate {
	n := r.uint32()
	options := r.byte()
	if r.err == nil && uint64(n)*4 != uint64(len(r.rest)) {
		r.err = errShort
	}
	if r.err != nil {
		return nil
	}
	m := &Truncate{Cascade: options&1 != 0, RestartIdentity: options&2 != 0, Relations: make([]uint32, n)}
	for i := range m.Relations {
		m.Relations[i] = r.uint32()
	}
	return m
}

func (r *reader) tuple() Tuple {
	n := r.count(1)
	t := make(Tuple, n)
	for i := range t {
		kind := ValueKind(r.byte())
		t[i].Kind = kind
		switch kind {
		case Null, Unchanged:
		case Text, Binary:
			t[i].Text = r.bytes(r.uint32())
		default:
			if r.err == nil {
				r.err = fmt.Errorf("a value of the unknown kind %q", byte(kind))
			}
		}
	}
	return t
}

// reader reads the parts of a message. After an error it gives zeros.
type reader struct {
	rest []byte
	err  error
}

func (r *reader) bytes(n uint32) []byte {
	if r.err == nil && uint64(n) > uint64(len(r.rest)) {
		r.err = errShort
	}
	if r.err != nil {
		return nil
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}

func (r *reader) byte() byte {
	if b := r.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) uint32() uint32 {
	if b := r.bytes(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

func (r *reader) uint64() uint64 {
	if b := r.bytes(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

func (r *reader) lsn() LSN { return LSN(r.uint64()) }

func (r *reader) time() time.Time { return Time(int64(r.uint64())) } //nolint:gosec // sent as such

// count reads a number of elements, none of which is smaller than least bytes: what is made for them
// can't be larger than the message allows.
func (r *reader) count(least int) int {
	b := r.bytes(2)
	if b == nil {
		return 0
	}
	n := int(binary.BigEndian.Uint16(b))
	if n*least > len(r.rest) {
		r.err = errShort
		return 0
	}
	return n
}

func (r *reader) string() string {
	end := bytes.IndexByte(r.rest, 0)
	if end < 0 {
		if r.err == nil {
			r.err = errShort
		}
		return ""
	}
	s := r.bytes(uint32(end) + 1) //nolint:gosec // a message has at most 1 GB
	if s == nil {
		return ""
	}
	return string(s[:end])
}

func (r *reader) expect(kind byte) {
	if got := r.byte(); got != kind && r.err == nil {
		r.err = fmt.Errorf("got message %q, want %q", got, kind)
	}
}
