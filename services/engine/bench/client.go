package bench

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// patience bounds one request; no measured query comes near it.
const patience = 30 * time.Second

// longestIdle is how long a connection may be unused: the engine closes those that are idle for two minutes, as they
// are while other targets answer the largest requests.
const longestIdle = time.Minute

// connection is one client: it sends a request, reads the answer, and sends the next. It
// does as little as it can, because it shares the machine with what it measures.
type connection struct {
	address string
	conn    net.Conn
	reader  *bufio.Reader
	used    time.Time
	head    string
	out     []byte
	body    bytes.Buffer
}

func dial(address, head string) (*connection, error) {
	c := &connection{address: address, head: head}
	return c, c.connect()
}

func (c *connection) connect() error {
	conn, err := net.Dial("tcp", c.address)
	if err != nil {
		return err
	}
	c.conn, c.reader, c.used = conn, bufio.NewReaderSize(conn, 64<<10), time.Now()
	return nil
}

func (c *connection) close() { _ = c.conn.Close() }

// post sends body and returns the answer's body, which is valid until the next call. An
// answer that isn't 200 is an error.
func (c *connection) post(path string, body []byte) ([]byte, error) {
	c.out = fmt.Appendf(c.out[:0], "POST %s HTTP/1.1\r\n%sContent-Length: %d\r\n\r\n", path, c.head, len(body))
	c.out = append(c.out, body...)
	if time.Since(c.used) > longestIdle {
		c.close()
		if err := c.connect(); err != nil {
			return nil, err
		}
	}
	c.used = time.Now()
	if err := c.conn.SetDeadline(c.used.Add(patience)); err != nil {
		return nil, err
	}
	if _, err := c.conn.Write(c.out); err != nil {
		return nil, err
	}
	response, err := http.ReadResponse(c.reader, nil)
	if err != nil {
		return nil, err
	}
	c.body.Reset()
	if _, err := io.Copy(&c.body, response.Body); err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %d: %.300s", response.StatusCode, c.body.Bytes())
	}
	return c.body.Bytes(), response.Body.Close()
}

// check looks at what every right answer to q has.
func (q *query) check(answer []byte) error {
	if n := bytes.Count(answer, []byte(q.mark)); n != q.count {
		return fmt.Errorf("%d times %s instead of %d: %.300s", n, q.mark, q.count, answer)
	}
	return nil
}
