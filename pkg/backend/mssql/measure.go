package mssql

import (
	"cmp"
	"context"
	"database/sql/driver"
	"net"
	"sync"
	"time"

	mssql "github.com/microsoft/go-mssqldb"

	"queryengine/pkg/backend"
)

// Measure implements backend.Measurable.
func (s *Source) Measure(m *backend.PoolMetrics, name string) {
	s.primary.measure(m, name, false)
	for _, p := range s.readers {
		if p != s.primary {
			p.measure(m, name, true)
		}
	}
}

func (p *pool) measure(m *backend.PoolMetrics, source string, replica bool) {
	p.meter = m.Pool(backend.PoolLabels{Source: source, Host: p.endpoint.config.Host, Replica: replica})
}

// connector opens the connections of a pool, and counts them. Each has a TLS configuration of its own: that of a
// connection that is strictly encrypted is changed by the driver, while others read it.
type connector struct{ pool *pool }

// Connect implements driver.Connector.
func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	config := c.pool.endpoint.config
	config.TLSConfig = config.TLSConfig.Clone()
	sockets := &sockets{Dialer: net.Dialer{KeepAlive: cmp.Or(config.KeepAlive, keepAlive)}}
	opening := mssql.NewConnectorConfig(config)
	opening.Dialer = sockets
	began := time.Now()
	conn, err := opening.Connect(ctx)
	c.pool.meter.Opened(began, err)
	if err == nil {
		sockets.whenClosed(c.pool.meter.Closed)
	}
	return conn, err
}

// Driver implements driver.Connector.
func (c connector) Driver() driver.Driver {
	return mssql.NewConnectorConfig(c.pool.endpoint.config).Driver()
}

// keepAlive is how often the system asks whether the server is there, where the connection string doesn't say.
const keepAlive = 30 * time.Second

// sockets are those that the driver opens for one connection. It may try several, for example where it is sent
// from one server to another, and keeps one.
type sockets struct {
	net.Dialer
	mu     sync.Mutex
	open   int
	closed func() // nil until there is a connection, and once it has been called
}

// DialContext implements mssql.Dialer.
func (s *sockets) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := s.Dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open++
	return &socket{Conn: c, of: s}, nil
}

// whenClosed has f called when the last socket is closed.
func (s *sockets) whenClosed(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = f
	s.end()
}

func (s *sockets) end() {
	if s.open == 0 && s.closed != nil {
		s.closed()
		s.closed = nil
	}
}

// socket is one of them.
type socket struct {
	net.Conn
	of   *sockets
	once sync.Once
}

// Close implements net.Conn.
func (s *socket) Close() error {
	s.once.Do(func() {
		s.of.mu.Lock()
		defer s.of.mu.Unlock()
		s.of.open--
		s.of.end()
	})
	return s.Conn.Close()
}
