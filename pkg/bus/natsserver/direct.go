package natsserver

import (
	"crypto/rand"
	"crypto/subtle"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

const (
	// directCallers bounds the connections to a server for direct calls.
	directCallers = 1024
	// directPort is what the library takes for a port of the system's choice.
	directPort = server.RANDOM_PORT
)

// DirectConfig of a server for direct calls.
type DirectConfig struct {
	Host string
	// Port to listen on, 0 for a free one.
	Port int
	// MaxPayload of a message in bytes.
	MaxPayload int
	// TLS is nil for a server without.
	TLS *tls.Config
	// Caller is the only user from outside of this process.
	Caller User
	// Logger gets the server's warnings and errors; nil for none.
	Logger *slog.Logger
}

// Direct is a server without JetStream, for requests to this process and nothing else.
type Direct struct {
	server   *server.Server
	password string // of inProcessUser
}

// StartDirect runs a server and returns when it accepts connections.
func StartDirect(c DirectConfig) (*Direct, error) {
	d := &Direct{password: rand.Text()}
	port := c.Port
	if port == 0 {
		port = directPort
	}
	callers, _ := users([]User{c.Caller}, d.password) // none has an account of its own
	s, err := server.NewServer(&server.Options{
		ServerName: "direct",
		Host:       c.Host,
		Port:       port,
		MaxPayload: int32(c.MaxPayload), //nolint:gosec // it is that of another server
		MaxPending: maxPending,
		MaxConn:    directCallers + 1,
		NoSigs:     true,
		TLS:        c.TLS != nil,
		TLSConfig:  c.TLS,
		TLSTimeout: 2,
		// Passwords in the options would have it warn of them; these are of this process's making.
		CustomClientAuthentication: directUsers(callers),
	})
	if err != nil {
		return nil, fmt.Errorf("configure a NATS server for direct calls: %w", err)
	}
	l := newLogger(c.Logger)
	s.SetLoggerV2(l, false, false, false)
	s.Start()
	if err := await(s, l); err != nil {
		return nil, err
	}
	d.server = s
	return d, nil
}

// directUsers are the users of a server for direct calls.
type directUsers []*server.User

// Check implements server.Authentication.
func (list directUsers) Check(c server.ClientAuthentication) bool {
	given := c.GetOpts()
	for _, u := range list {
		if given.Username == u.Username && subtle.ConstantTimeCompare([]byte(given.Password), []byte(u.Password)) == 1 {
			c.RegisterUser(u)
			return true
		}
	}
	return false
}

// await waits until a server accepts connections, or has failed to.
func await(s *server.Server, l *logger) error {
	for deadline := time.Now().Add(startTimeout); !s.ReadyForConnections(50 * time.Millisecond); {
		if l.fault() != "" || time.Now().After(deadline) {
			s.Shutdown()
			return fmt.Errorf("the embedded NATS server did not start: %s", l.fault())
		}
	}
	return nil
}

// InProcessConn gives a connection that needs no socket.
func (d *Direct) InProcessConn() (net.Conn, error) { return d.server.InProcessConn() }

// InProcessUser is the user for connections in this process.
func (d *Direct) InProcessUser() (name, password string) { return inProcessUser, d.password }

// Port is where the server listens.
func (d *Direct) Port() int {
	a, _ := d.server.Addr().(*net.TCPAddr) // it listens
	return a.Port
}

// Callers is how many connections there are besides the one of this process.
func (d *Direct) Callers() int { return d.server.NumClients() - 1 }

// Stop ends the server.
func (d *Direct) Stop() {
	d.server.Shutdown()
	d.server.WaitForShutdown()
}
