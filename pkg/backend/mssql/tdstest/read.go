package tdstest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf16"
)

// headerSize is the size of the header of a packet.
const headerSize = 8

// The bits of the status of a packet.
const (
	statusEnd   = 0x01
	statusReset = 0x08
)

// readMessage reads packets up to the end of a message.
func readMessage(r io.Reader) (message, error) {
	var m message
	for first := true; ; first = false {
		var h [headerSize]byte
		if _, err := io.ReadFull(r, h[:]); err != nil {
			return m, err
		}
		size := int(binary.BigEndian.Uint16(h[2:])) - headerSize
		if size < 0 {
			return m, errors.New("a packet is shorter than its header")
		}
		if first {
			m.kind, m.reset = h[0], h[1]&statusReset != 0
		}
		at := len(m.data)
		m.data = append(m.data, make([]byte, size)...)
		if _, err := io.ReadFull(r, m.data[at:]); err != nil {
			return m, err
		}
		if h[1]&statusEnd != 0 {
			return m, nil
		}
	}
}

// cursor reads the parts of a message; after a failure it reads zeros.
type cursor struct {
	data []byte
	err  error
}

func (c *cursor) bytes(n int) []byte {
	if n < 0 || n > len(c.data) {
		c.err = io.ErrUnexpectedEOF
		c.data = nil
		return make([]byte, max(n, 0)&0xFFFF)
	}
	b := c.data[:n]
	c.data = c.data[n:]
	return b
}

func (c *cursor) byte() byte     { return c.bytes(1)[0] }
func (c *cursor) uint16() uint16 { return binary.LittleEndian.Uint16(c.bytes(2)) }
func (c *cursor) uint32() uint32 { return binary.LittleEndian.Uint32(c.bytes(4)) }
func (c *cursor) uint64() uint64 { return binary.LittleEndian.Uint64(c.bytes(8)) }

// text reads n characters.
func (c *cursor) text(n int) string { return decodeText(c.bytes(2 * n)) }

// headers skips the headers of a request.
func (c *cursor) headers() {
	if total := c.uint32(); total >= 4 {
		c.bytes(int(total) - 4)
	}
}

func decodeText(b []byte) string {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(b[2*i:])
	}
	return string(utf16.Decode(units))
}

func readBatch(data []byte) string {
	c := cursor{data: data}
	c.headers()
	return decodeText(c.data)
}

// readLogin reads LOGIN7: positions and lengths of texts, from the beginning of the message.
func readLogin(data []byte) (Login, error) {
	const first, user, password, application, database = 36, 1, 2, 3, 8
	at := func(i int) string {
		begin := first + 4*i
		if begin+4 > len(data) {
			return ""
		}
		offset, size := int(binary.LittleEndian.Uint16(data[begin:])), 2*int(binary.LittleEndian.Uint16(data[begin+2:]))
		if offset+size > len(data) {
			return ""
		}
		b := append([]byte{}, data[offset:offset+size]...)
		if i == password {
			for j := range b {
				b[j] ^= 0xA5
				b[j] = b[j]<<4 | b[j]>>4
			}
		}
		return decodeText(b)
	}
	if len(data) < first+4*9 {
		return Login{}, io.ErrUnexpectedEOF
	}
	return Login{User: at(user), Password: at(password), Application: at(application), Database: at(database)}, nil
}

// procExecuteSQL is the number of sp_executesql.
const procExecuteSQL = 10

// readCall reads a call of sp_executesql: the text, the declaration of the parameters, and their values.
func readCall(data []byte) (Request, error) {
	c := cursor{data: data}
	c.headers()
	name := ""
	if n := c.uint16(); n == 0xFFFF {
		if id := c.uint16(); id != procExecuteSQL {
			return Request{}, fmt.Errorf("procedure %d is called", id)
		}
	} else if name = c.text(int(n)); name != "sp_executesql" {
		return Request{}, fmt.Errorf("procedure %s is called", name)
	}
	c.uint16() // options
	var values []*string
	for len(c.data) > 0 && c.err == nil {
		c.text(int(c.byte())) // the name
		c.byte()              // whether it is for output
		values = append(values, c.param())
	}
	if c.err != nil || len(values) == 0 || values[0] == nil {
		return Request{}, errors.Join(errors.New("a call without a text"), c.err)
	}
	r := Request{SQL: *values[0]}
	if len(values) > 1 {
		if values[1] != nil {
			r.Declared = *values[1]
		}
		r.Params = values[2:]
	}
	return r, nil
}

// param reads a value with its type.
func (c *cursor) param() *string {
	const unlimited = 0xFFFF
	switch t := c.byte(); t {
	case typeNull:
		return nil
	case typeIntN:
		c.byte()
		b := c.bytes(int(c.byte()))
		if len(b) == 0 {
			return nil
		}
		wide := make([]byte, 8)
		copy(wide, b)
		n := int64(binary.LittleEndian.Uint64(wide)) << (64 - 8*len(b)) >> (64 - 8*len(b)) //nolint:gosec // two's complement
		return Text(strconv.FormatInt(n, 10))
	case typeNVarChar:
		size := c.uint16()
		c.bytes(collationSize)
		if size == unlimited {
			b, null := c.chunks()
			if null {
				return nil
			}
			return Text(decodeText(b))
		}
		n := c.uint16()
		if n == unlimited {
			return nil
		}
		return Text(decodeText(c.bytes(int(n))))
	default:
		c.err = fmt.Errorf("a parameter has the type %#x", t)
		return nil
	}
}

// chunks reads a value of any length.
func (c *cursor) chunks() (value []byte, null bool) {
	if c.uint64() == plpNull {
		return nil, true
	}
	for c.err == nil {
		n := c.uint32()
		if n == 0 {
			break
		}
		value = append(value, c.bytes(int(n))...)
	}
	return value, false
}

// readTransaction reads a request of the transaction manager.
func readTransaction(data []byte) (kind uint16, isolation byte, err error) {
	c := cursor{data: data}
	c.headers()
	kind = c.uint16()
	if kind == requestBegin {
		isolation = c.byte()
	}
	return kind, isolation, c.err
}
