package tdstest

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"sync"
	"testing"
)

// Server listens on a port of its own until the test ends.
type Server struct {
	listener net.Listener
	tls      *tls.Config
	open     func(Login) (Session, error)

	mu     sync.Mutex
	conns  map[net.Conn]bool
	opened int
	closed bool
	done   sync.WaitGroup
}

// Login is who connects.
type Login struct{ User, Password, Database, Application string }

// New starts a server. open is called for each connection; its error refuses the login.
func New(t testing.TB, open func(Login) (Session, error)) *Server {
	t.Helper()
	return NewTLS(t, nil, open)
}

// NewTLS is New for a server that encrypts what the client asks for: nothing, the login, all, or all of TDS 8.
func NewTLS(t testing.TB, config *tls.Config, open func(Login) (Session, error)) *Server {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{listener: l, tls: config, open: open, conns: map[net.Conn]bool{}}
	s.done.Add(1)
	go s.accept()
	t.Cleanup(s.Close)
	return s
}

// Address is the host and port, as connection strings have them.
func (s *Server) Address() (host string, port int) {
	a, _ := s.listener.Addr().(*net.TCPAddr)
	return a.IP.String(), a.Port
}

// ConnectionString is one for the server, as ODBC writes it.
func (s *Server) ConnectionString() string {
	host, port := s.Address()
	return fmt.Sprintf("DRIVER={ODBC Driver 18 for SQL Server};SERVER=%s,%d;UID=sa;PWD={Pass;word};DATABASE=shop;Encrypt=disable", host, port)
}

// Opened is how many connections have logged in.
func (s *Server) Opened() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opened
}

// Open is how many connections there are.
func (s *Server) Open() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.conns)
}

// Disconnect breaks all connections.
func (s *Server) Disconnect() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		_ = c.Close()
	}
}

// Close ends the server and waits for its connections.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	_ = s.listener.Close()
	s.Disconnect()
	s.done.Wait()
}

func (s *Server) accept() {
	defer s.done.Done()
	for {
		c, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		if s.closed {
			s.mu.Unlock()
			_ = c.Close()
			return
		}
		s.conns[c] = true
		s.done.Add(1)
		s.mu.Unlock()
		go func() {
			defer s.done.Done()
			s.serve(c)
			s.mu.Lock()
			delete(s.conns, c)
			s.mu.Unlock()
			_ = c.Close()
		}()
	}
}

// message is a request of the client, whose packets were put together.
type message struct {
	kind  byte
	reset bool
	data  []byte
}

// The kinds of messages.
const (
	messageBatch       = 0x01
	messageRPC         = 0x03
	messageReply       = 0x04
	messageAttention   = 0x06
	messageTransaction = 0x0E
	messageLogin       = 0x10
	messagePrelogin    = 0x12
)

// peer is one connection.
type peer struct {
	conn    net.Conn
	session Session
	out     writer
	// inTransaction is the last state that the client received.
	inTransaction bool

	mu        sync.Mutex
	cancel    context.CancelFunc // of the request that runs
	attention bool
}

// serve answers a connection until one of the sides ends it.
func (s *Server) serve(c net.Conn) {
	if s.tls != nil {
		var err error
		if c, err = secure(c, s.tls); err != nil {
			return
		}
	}
	p := &peer{conn: c, out: writer{conn: c}}
	ctx, gone := context.WithCancel(context.Background())
	defer gone()
	messages := make(chan message)
	go func() {
		defer close(messages)
		defer gone()
		p.read(ctx, messages)
	}()
	defer func() {
		_ = c.Close()
		gone()
		for range messages { //nolint:revive // ends when the reader does
		}
		if p.session != nil {
			p.session.Close()
		}
	}()
	for m := range messages {
		if err := s.answer(ctx, p, m); err != nil {
			return
		}
	}
}

// read reads messages. Attention stops the request that runs, at once.
func (p *peer) read(ctx context.Context, messages chan<- message) {
	for {
		m, err := readMessage(p.conn)
		if err != nil {
			return
		}
		if m.kind == messageAttention && p.interrupt() {
			continue
		}
		select {
		case messages <- m:
		case <-ctx.Done():
			return
		}
	}
}

// interrupt cancels the request that runs; false when there is none.
func (p *peer) interrupt() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cancel == nil {
		return false
	}
	p.attention = true
	p.cancel()
	return true
}

func (s *Server) answer(ctx context.Context, p *peer, m message) error {
	if m.reset && p.session != nil {
		p.session.Reset()
		p.inTransaction = false
	}
	switch m.kind {
	case messagePrelogin:
		p.out.prelogin(encryptUnsupported)
		return p.out.end()
	case messageLogin:
		login, err := readLogin(m.data)
		if err != nil {
			return err
		}
		if p.session, err = s.open(login); err != nil {
			p.out.fault(&Error{Number: 18456, Message: err.Error()})
			p.out.done(tokenDone, doneError, 0)
			return errors.Join(p.out.end(), err)
		}
		s.mu.Lock()
		s.opened++
		s.mu.Unlock()
		p.out.loginAck(login)
		p.out.done(tokenDone, 0, 0)
		return p.out.end()
	case messageAttention:
		p.out.done(tokenDone, doneAttention, 0)
		return p.out.end()
	}
	if p.session == nil {
		return errors.New("no login")
	}
	running, cancel := context.WithCancel(ctx)
	p.mu.Lock()
	p.cancel, p.attention = cancel, false
	p.mu.Unlock()
	err := p.request(running, m)
	p.mu.Lock()
	attention := p.attention
	p.cancel = nil
	p.mu.Unlock()
	cancel()
	if err != nil {
		return err
	}
	if attention {
		p.out.done(tokenDone, doneAttention, 0)
		return p.out.end()
	}
	return nil
}

// request answers one request.
func (p *peer) request(ctx context.Context, m message) error {
	switch m.kind {
	case messageBatch:
		return p.results(ctx, Request{SQL: readBatch(m.data)}, tokenDone)
	case messageRPC:
		r, err := readCall(m.data)
		if err != nil {
			return err
		}
		return p.results(ctx, r, tokenDoneInProc)
	case messageTransaction:
		return p.transaction(ctx, m.data)
	}
	return fmt.Errorf("unexpected message %#x", m.kind)
}

// results writes the results of a request.
func (p *peer) results(ctx context.Context, r Request, done byte) error {
	fatal := false
	for result := range p.session.Run(ctx, r) {
		status, rows := uint16(doneMore), uint64(0)
		if result.Columns != nil {
			p.out.columns(result.Columns)
			if result.Rows != nil {
				for row := range result.Rows {
					if ctx.Err() != nil {
						break
					}
					if err := p.out.row(result.Columns, row); err != nil {
						return err
					}
					rows++
				}
			}
			status |= doneCount
		}
		if ctx.Err() != nil {
			break
		}
		if result.Err != nil {
			status |= doneError
			fatal = result.Err.Fatal
			p.out.fault(result.Err)
		}
		p.out.done(done, status, rows)
		if fatal {
			return errors.Join(p.out.end(), result.Err)
		}
	}
	if done == tokenDoneInProc {
		p.out.returnStatus()
		p.out.done(tokenDoneProc, 0, 0)
	} else {
		p.out.done(tokenDone, 0, 0)
	}
	return p.out.end()
}

// The requests of the transaction manager.
const (
	requestBegin    = 5
	requestCommit   = 7
	requestRollback = 8
)

func (p *peer) transaction(ctx context.Context, data []byte) error {
	kind, isolation, err := readTransaction(data)
	if err != nil {
		return err
	}
	change := byte(0)
	switch kind {
	case requestBegin:
		err, change = p.session.Begin(ctx, isolation), envBegin
	case requestCommit:
		err, change = p.session.Commit(ctx), envCommit
	case requestRollback:
		err, change = p.session.Rollback(ctx), envRollback
	default:
		return fmt.Errorf("unexpected request %d of the transaction manager", kind)
	}
	status := uint16(0)
	if fault := (*Error)(nil); errors.As(err, &fault) {
		p.out.fault(fault)
		status = doneError
	} else if err != nil {
		return err
	} else {
		p.inTransaction = kind == requestBegin
		p.out.transactionChange(change)
	}
	p.out.done(tokenDone, status, 0)
	return p.out.end()
}
