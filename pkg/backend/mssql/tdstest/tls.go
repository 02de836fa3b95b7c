package tdstest

import (
	"bytes"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"net"
)

// The values of the option of encryption in a prelogin.
const (
	encryptLogin       = 0
	encryptAll         = 1
	encryptUnsupported = 2
)

// recordHandshake is the first byte of a TLS handshake, which begins a connection of TDS 8 (encrypt=strict).
const recordHandshake = 0x16

// secure does the handshake that the client asks for, and gives what the messages are read from and written to
// after it.
func secure(c net.Conn, config *tls.Config) (net.Conn, error) {
	var first [1]byte
	if _, err := io.ReadFull(c, first[:]); err != nil {
		return nil, err
	}
	begun := &begunConn{Conn: c, begin: first[:]}
	if first[0] == recordHandshake {
		strict := config.Clone()
		strict.NextProtos = []string{"tds/8.0"}
		encrypted := tls.Server(begun, strict)
		return encrypted, encrypted.Handshake()
	}
	return secureInside(begun, config)
}

// secureInside does a handshake whose bytes are in packets, after the prelogin.
func secureInside(c net.Conn, config *tls.Config) (net.Conn, error) {
	m, err := readMessage(c)
	if err != nil {
		return nil, err
	}
	asked, err := encryptionOf(m)
	if err != nil {
		return nil, err
	}
	out := writer{conn: c}
	out.prelogin(asked)
	if err := out.end(); err != nil || asked == encryptUnsupported {
		return c, err
	}
	// Before TDS 8 there is no TLS 1.3, in which the client is the last to write in a handshake.
	config = config.Clone()
	config.MaxVersion = tls.VersionTLS12
	inside := &packetConn{Conn: c}
	encrypted := tls.Server(inside, config)
	if err := encrypted.Handshake(); err != nil {
		return nil, err
	}
	inside.done = true
	if asked != encryptLogin {
		return encrypted, nil
	}
	login, err := readMessage(encrypted)
	if err != nil {
		return nil, err
	}
	return &begunConn{Conn: c, begin: packet(login.kind, statusEnd, 1, login.data)}, nil
}

// encryptionOf is what a prelogin asks for.
func encryptionOf(m message) (byte, error) {
	const option, last, size = 1, 0xFF, 5
	if m.kind != messagePrelogin {
		return 0, errors.New("no prelogin")
	}
	for at := 0; at+size <= len(m.data) && m.data[at] != last; at += size {
		value := int(binary.BigEndian.Uint16(m.data[at+1:]))
		if m.data[at] == option && value < len(m.data) {
			return m.data[value], nil
		}
	}
	return 0, errors.New("a prelogin without the option of encryption")
}

// begunConn is a connection of which something was read already.
type begunConn struct {
	net.Conn
	begin []byte
}

func (c *begunConn) Read(b []byte) (int, error) {
	if len(c.begin) == 0 {
		return c.Conn.Read(b)
	}
	n := copy(b, c.begin)
	c.begin = c.begin[n:]
	return n, nil
}

// packetConn reads and writes the bytes of packets until the handshake is done, and bytes as they are then.
type packetConn struct {
	net.Conn
	done bool
	rest bytes.Reader
}

func (c *packetConn) Read(b []byte) (int, error) {
	if c.rest.Len() > 0 {
		return c.rest.Read(b)
	}
	if c.done {
		return c.Conn.Read(b)
	}
	m, err := readMessage(c.Conn)
	if err != nil {
		return 0, err
	}
	c.rest.Reset(m.data)
	return c.rest.Read(b)
}

func (c *packetConn) Write(b []byte) (int, error) {
	if c.done {
		return c.Conn.Write(b)
	}
	for rest := b; len(rest) > 0; {
		n := min(len(rest), packetSize-headerSize)
		status := byte(0)
		if n == len(rest) {
			status = statusEnd
		}
		if _, err := c.Conn.Write(packet(messagePrelogin, status, 1, rest[:n])); err != nil {
			return 0, err
		}
		rest = rest[n:]
	}
	return len(b), nil
}
