package tdstest

import (
	"encoding/binary"
	"net"
	"unicode/utf16"
)

// The tokens of replies.
const (
	tokenReturnStatus = 0x79
	tokenColumns      = 0x81
	tokenError        = 0xAA
	tokenLoginAck     = 0xAD
	tokenRow          = 0xD1
	tokenEnvChange    = 0xE3
	tokenDone         = 0xFD
	tokenDoneProc     = 0xFE
	tokenDoneInProc   = 0xFF
)

// The bits of the status of a DONE token.
const (
	doneMore      = 0x01
	doneError     = 0x02
	doneCount     = 0x10
	doneAttention = 0x20
)

// The changes of the environment.
const (
	envBegin    = 8
	envCommit   = 9
	envRollback = 10
)

// packetSize is the size of packets, which clients use when they log in.
const packetSize = 4096

// writer writes replies in packets, each when it is full.
type writer struct {
	conn net.Conn
	data []byte
	id   byte
}

// flush sends what fills packets, and the rest too when it is the end of the message.
func (w *writer) flush(end bool) error {
	const room = packetSize - headerSize
	for len(w.data) > room || end {
		n := min(len(w.data), room)
		status := byte(0)
		if end && n == len(w.data) {
			status = statusEnd
		}
		w.id++
		if _, err := w.conn.Write(packet(messageReply, status, w.id, w.data[:n])); err != nil {
			return err
		}
		w.data = append(w.data[:0], w.data[n:]...)
		if status == statusEnd {
			break
		}
	}
	return nil
}

// packet is a packet of a message; data may be as much as its size can tell.
func packet(kind, status, id byte, data []byte) []byte {
	header := []byte{kind, status, 0, 0, 0, 0, id, 0}
	binary.BigEndian.PutUint16(header[2:], uint16(headerSize+len(data))) //nolint:gosec // at most a packet
	return append(header, data...)
}

func (w *writer) end() error { return w.flush(true) }

func (w *writer) byte(b ...byte)  { w.data = append(w.data, b...) }
func (w *writer) uint16(n uint16) { w.data = binary.LittleEndian.AppendUint16(w.data, n) }
func (w *writer) uint32(n uint32) { w.data = binary.LittleEndian.AppendUint32(w.data, n) }
func (w *writer) uint64(n uint64) { w.data = binary.LittleEndian.AppendUint64(w.data, n) }

func encodeText(s string) []byte {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	return b
}

// shortText writes a text with its length in a byte, longText one with its length in two.
func (w *writer) shortText(s string) {
	b := encodeText(s)
	w.byte(byte(len(b) / 2))
	w.byte(b...)
}

func (w *writer) longText(s string) {
	b := encodeText(s)
	w.uint16(uint16(len(b) / 2)) //nolint:gosec // messages are short
	w.byte(b...)
}

// prelogin says which version the server has, and what is encrypted.
func (w *writer) prelogin(encrypted byte) {
	const version, encryption, last = 0, 1, 0xFF
	w.byte(version, 0, 11, 0, 6)
	w.byte(encryption, 0, 17, 0, 1)
	w.byte(last)
	w.byte(16, 0, 0, 0, 0, 0)
	w.byte(encrypted)
}

func (w *writer) loginAck(login Login) {
	const envDatabase, envPacketSize = 1, 4
	for _, change := range []struct {
		kind  byte
		value string
	}{{envDatabase, login.Database}, {envPacketSize, "4096"}} {
		b := encodeText(change.value)
		w.byte(tokenEnvChange)
		w.uint16(uint16(3 + len(b))) //nolint:gosec // short
		w.byte(change.kind)
		w.shortText(change.value)
		w.byte(0)
	}
	const program = "Microsoft SQL Server"
	w.byte(tokenLoginAck)
	w.uint16(uint16(1 + 4 + 1 + 2*len(program) + 4))
	w.byte(1, 0x74, 0, 0, 4)
	w.shortText(program)
	w.byte(16, 0, 0, 0)
}

func (w *writer) fault(e *Error) {
	const state, class, fatal, line = 1, 16, 20, 1
	message, server := encodeText(e.Message), encodeText("test")
	w.byte(tokenError)
	w.uint16(uint16(4 + 2 + 2 + len(message) + 1 + len(server) + 1 + 4)) //nolint:gosec // short
	w.uint32(uint32(int32(e.Number)))                                    //nolint:gosec // a number of the server
	if e.Fatal {
		w.byte(state, fatal)
	} else {
		w.byte(state, class)
	}
	w.longText(e.Message)
	w.shortText("test")
	w.shortText("")
	w.uint32(line)
}

func (w *writer) done(token byte, status uint16, rows uint64) {
	w.byte(token)
	w.uint16(status)
	w.uint16(0xC1) // SELECT
	w.uint64(rows)
}

func (w *writer) returnStatus() {
	w.byte(tokenReturnStatus)
	w.uint32(0)
}

// transactionChange tells the client that a transaction begins or ends.
func (w *writer) transactionChange(kind byte) {
	id := []byte{1, 2, 3, 4, 5, 6, 7, 8}
	w.byte(tokenEnvChange)
	w.uint16(uint16(1 + 1 + len(id) + 1))
	w.byte(kind)
	if kind == envBegin {
		w.byte(byte(len(id)))
		w.byte(id...)
		w.byte(0)
		return
	}
	w.byte(0, byte(len(id)))
	w.byte(id...)
}

func (w *writer) columns(columns []Column) {
	const nullable = 1
	w.byte(tokenColumns)
	w.uint16(uint16(len(columns))) //nolint:gosec // few
	for _, c := range columns {
		w.uint32(0)
		w.uint16(nullable)
		w.typeInfo(c)
		w.shortText(c.Name)
	}
}

func (w *writer) row(columns []Column, row []*string) error {
	w.byte(tokenRow)
	for i, c := range columns {
		if err := w.value(c, row[i]); err != nil {
			return err
		}
	}
	return w.flush(false)
}
