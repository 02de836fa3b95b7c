// Package natsserver runs a NATS server with JetStream inside this process, for the
// single-process engine and for tests.
package natsserver

import (
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"queryengine/pkg/dirlock"
)

const (
	defaultHost       = "127.0.0.1"
	defaultMaxPayload = 8 << 20
	startTimeout      = 20 * time.Second
	// maxPending is how many bytes may wait for one client.
	maxPending = 256 << 20
)

// Config of an embedded server.
type Config struct {
	// Dir holds the JetStream data. One server at a time may use it.
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
	// Users may connect; without any, every client may. Connections in this process may do everything.
	Users []User
	// Logger gets the server's warnings and errors; nil for none.
	Logger *slog.Logger
}

// User is a user and its permissions.
type User struct {
	Name, Password string
	// Publish and Subscribe are the subjects that are allowed, all others are not.
	Publish, Subscribe []string
	// NoPublish are exceptions from Publish.
	NoPublish []string
	// Inbox is set for a user with an account of its own: the one among Subscribe that replies to it come to. The account imports the others, and
	// the API of JetStream, from the account of all, so that replies to the user stay in its own. It publishes nothing else.
	Inbox string
}

// inProcessUser is the name of the user of connections in this process.
const inProcessUser = "in-process"

// Server is a running NATS server. It is a nats.InProcessConnProvider, as bus.Config takes
// it.
type Server struct {
	server   *server.Server
	password string // of inProcessUser, "" for none
	lock     *dirlock.Lock
	stop     sync.Once
}

// Start runs a server and returns when it accepts connections.
func Start(c Config) (*Server, error) {
	if c.Dir == "" {
		return nil, errors.New("the embedded NATS server needs a data directory")
	}
	// Two servers on the same files destroy each other's streams.
	lock, err := dirlock.Take(c.Dir, 0o750)
	if err != nil {
		return nil, fmt.Errorf("the NATS data directory: %w", err)
	}
	o := options(c)
	password := ""
	if c.Users != nil {
		password = rand.Text()
		o.Users, o.Accounts = users(c.Users, password)
	}
	s, err := start(c, o)
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return &Server{server: s, password: password, lock: lock}, nil
}

// users are those of a server, plus the one of this process, and the accounts that some have for themselves.
func users(list []User, own string) (all []*server.User, accounts []*server.Account) {
	all = []*server.User{{Username: inProcessUser, Password: own}}
	for _, u := range list {
		added := &server.User{Username: u.Name, Password: u.Password, Permissions: &server.Permissions{
			Publish:   &server.SubjectPermission{Allow: u.Publish, Deny: u.NoPublish},
			Subscribe: &server.SubjectPermission{Allow: u.Subscribe},
		}}
		if u.Inbox != "" {
			added.Account = server.NewAccount(accountPrefix + u.Name)
			accounts = append(accounts, added.Account)
		}
		all = append(all, added)
	}
	return all, accounts
}

// api are the subjects of requests to JetStream.
const api = "$JS.API.>"

// accountPrefix begins the names of accounts that have one user.
const accountPrefix = "user:"

// share has the accounts of single users import what these may ask and hear.
func share(s *server.Server, list []User) error {
	shared, exported := s.GlobalAccount(), map[string]bool{}
	for _, u := range list {
		if u.Inbox == "" {
			continue
		}
		own, err := s.LookupAccount(accountPrefix + u.Name)
		if err != nil {
			return err
		}
		// An account that doesn't import the API as a whole has one of its own, which answers that JetStream is disabled.
		if !exported[api] {
			err = shared.AddServiceExportWithResponse(api, server.Streamed, nil)
			exported[api] = true
		}
		if err = errors.Join(err, own.AddServiceImport(shared, api, api)); err != nil {
			return err
		}
		for _, subject := range u.Subscribe {
			if subject == u.Inbox {
				continue
			}
			if !exported[subject] {
				err = shared.AddStreamExport(subject, nil)
				exported[subject] = true
			}
			if err = errors.Join(err, own.AddStreamImport(shared, subject, "")); err != nil {
				return err
			}
		}
	}
	return nil
}

// InProcessUser is the user for connections in this process; "" if none is needed.
func (s *Server) InProcessUser() (name, password string) {
	if s.password == "" {
		return "", ""
	}
	return inProcessUser, s.password
}

func start(c Config, o *server.Options) (*server.Server, error) {
	s, err := server.NewServer(o)
	if err != nil {
		return nil, fmt.Errorf("configure the embedded NATS server: %w", err)
	}
	l := newLogger(c.Logger)
	s.SetLoggerV2(l, false, false, false)
	if err := share(s, c.Users); err != nil {
		return nil, fmt.Errorf("configure the accounts of the embedded NATS server: %w", err)
	}
	s.Start()
	if err := await(s, l); err != nil {
		return nil, err
	}
	if !s.JetStreamEnabled() {
		s.Shutdown()
		return nil, fmt.Errorf("JetStream did not start in %s: %s", c.Dir, l.fault())
	}
	if len(o.Accounts) > 0 { // else the server does that
		if err := s.GlobalAccount().EnableJetStream(nil, nil); err != nil {
			s.Shutdown()
			return nil, fmt.Errorf("start JetStream in %s: %w", c.Dir, err)
		}
	}
	return s, nil
}

func options(c Config) *server.Options {
	o := &server.Options{
		ServerName: "engine",
		Host:       c.Host,
		Port:       c.Port,
		MaxPayload: int32(c.MaxPayload),
		MaxPending: maxPending,
		JetStream:  true,
		StoreDir:   c.Dir,
		SyncAlways: !c.NoSync,
		DontListen: c.Port == 0,
		NoSigs:     true,
	}
	if o.Host == "" {
		o.Host = defaultHost
	}
	if o.MaxPayload == 0 {
		o.MaxPayload = defaultMaxPayload
	}
	if c.NoSync {
		o.SyncInterval = time.Hour
	}
	return o
}

// InProcessConn gives a connection that needs no socket.
func (s *Server) InProcessConn() (net.Conn, error) { return s.server.InProcessConn() }

// ClientURL is where clients connect, "" when the server has no port.
func (s *Server) ClientURL() string {
	if s.server.Addr() == nil {
		return ""
	}
	return s.server.ClientURL()
}

// Port is where the server listens, 0 for nowhere.
func (s *Server) Port() int {
	if a, ok := s.server.Addr().(*net.TCPAddr); ok {
		return a.Port
	}
	return 0
}

// Messages is how many messages clients have sent to the server so far.
func (s *Server) Messages() (int64, error) {
	v, err := s.server.Varz(nil)
	if err != nil {
		return 0, err
	}
	return v.InMsgs, nil
}

// Stop ends the server and waits until its data is written. It is safe to call twice.
func (s *Server) Stop() {
	s.stop.Do(func() {
		s.server.Shutdown()
		s.server.WaitForShutdown()
		_ = s.lock.Close()
	})
}
