// Package natsserver runs a NATS server with JetStream inside this process, for the
// single-process engine and for tests.
package natsserver

import (
	"log/slog"
	"net"
)

// Config of an embedded server.
type Config struct {
	// Dir holds the JetStream data.
	Dir string
	// Port to listen on: 0 for none (in-process connections only), -1 for a free one.
	Port int
	// Host to listen on, 127.0.0.1 by default.
	Host string
	// MaxPayload of a message in bytes, 8 MiB by default.
	MaxPayload int
	// NoSync leaves it to the operating system when data reaches the disk. Acknowledged
	// messages are lost in a power failure then: it is for tests.
	NoSync bool
	// Logger gets the server's warnings and errors; nil for none.
	Logger *slog.Logger
}

// Server is a running NATS server. It is a nats.InProcessConnProvider, as bus.Config takes
// it.
type Server struct{}

// Start runs a server and returns when it accepts connections.
func Start(c Config) (*Server, error) { return nil, nil }

// InProcessConn gives a connection that needs no socket.
func (s *Server) InProcessConn() (net.Conn, error) { return nil, nil }

// ClientURL is where clients connect, "" without a port.
func (s *Server) ClientURL() string { return "" }

// Stop ends the server and waits until its data is written. It is safe to call twice.
func (s *Server) Stop() {}
