package e2e

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"
)

// fault is something that goes wrong, and is over when it returns.
type fault struct {
	name string
	make func(s *system, seed *rand.Rand)
}

func faults() []fault {
	list := []fault{
		{"connections of the database are cut", (*system).cutConnections},
		{"readers stall", (*system).stallReaders},
		{"a source hangs", (*system).hangSource},
		{"a NATS node is killed", func(s *system, seed *rand.Rand) { s.killNodes(seed, 1) }},
		{"a NATS node is frozen", func(s *system, seed *rand.Rand) { freeze(s.nodes[seed.IntN(len(s.nodes))].process, seed) }},
		{"NATS has no quorum", func(s *system, seed *rand.Rand) { s.killNodes(seed, 2) }},
		{"JetStream is full", (*system).fillJetStream},
	}
	for _, name := range []string{gateway, executor, eventDelivery, metadata, scheduler} {
		list = append(list,
			fault{name + " is killed", func(s *system, seed *rand.Rand) { s.killProcess(name, seed) }},
			fault{name + " is frozen", func(s *system, seed *rand.Rand) {
				freeze(s.process(name, seed.IntN(replicated[name])), seed)
			}})
	}
	return list
}

// disturb makes faults, each of them about as often as the others. The choice is the seed's alone.
func (s *system) disturb(seed *rand.Rand, n int) {
	s.t.Helper()
	list := faults()
	var order []int
	for i := range n {
		if i%len(list) == 0 {
			order = seed.Perm(len(list))
		}
		f := list[order[i%len(list)]]
		own := rand.New(rand.NewPCG(seed.Uint64(), 0)) //nolint:gosec // no secret
		began := time.Now()
		f.make(s, own)
		s.t.Logf("%s %s (%s)", began.Format("15:04:05.000"), f.name, time.Since(began).Round(time.Millisecond))
		time.Sleep(time.Duration(own.IntN(1500)) * time.Millisecond) // the pace of the faults
	}
}

// linger is how long a fault lasts.
func linger(seed *rand.Rand, least, most time.Duration) {
	time.Sleep(least + time.Duration(seed.Int64N(int64(most-least)))) // the fault itself
}

func freeze(p *process, seed *rand.Rand) {
	p.signal(syscall.SIGSTOP)
	linger(seed, 300*time.Millisecond, 4*time.Second)
	p.signal(syscall.SIGCONT)
}

func (s *system) killProcess(name string, seed *rand.Rand) {
	s.t.Helper()
	i := seed.IntN(replicated[name])
	s.process(name, i).kill()
	linger(seed, 10*time.Millisecond, 2*time.Second)
	s.restart(name, i)
}

func (s *system) killNodes(seed *rand.Rand, n int) {
	s.t.Helper()
	which := seed.Perm(len(s.nodes))[:n]
	for _, i := range which {
		s.nodes[i].kill()
	}
	linger(seed, time.Second, 5*time.Second)
	for _, i := range which {
		s.nodes[i].launch(s.t)
	}
}

func (s *system) cutConnections(*rand.Rand) {
	s.t.Helper()
	_, err := s.db.Exec(s.t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE application_name LIKE 'query engine%' AND random() < 0.7 AND datname IN (current_database(), $1)`,
		strings.Trim(must(s.databaseName(s.metadataURL)), `"`))
	if err != nil { // of the test's own connection
		s.t.Logf("connections aren't cut: %s", err)
	}
}

func must(name, _ string) string { return name }

// stallReaders has clients that ask for much and read nothing of it.
func (s *system) stallReaders(seed *rand.Rand) {
	s.t.Helper()
	const body = `{"query":"{ large { id body } }"}`
	for range 20 {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.process(gateway, seed.IntN(2)).url, "http://"))
		if err != nil {
			continue
		}
		defer conn.Close()
		_, _ = fmt.Fprintf(conn, "POST /v1/graphql HTTP/1.1\r\nHost: x\r\nX-Engine-Admin-Secret: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
			secret, len(body), body) // one that isn't heard stalls too
	}
	linger(seed, time.Second, 5*time.Second)
}

func (s *system) hangSource(seed *rand.Rand) {
	s.far.hang()
	defer s.far.goOn()
	var asking sync.WaitGroup
	for n := range 20 {
		asking.Go(func() { s.query(s.process(gateway, n), asAdmin, `{ far { id } }`, nil) })
	}
	linger(seed, 2*time.Second, 6*time.Second)
}

// fillJetStream fills the storage of the nodes, and frees it again.
func (s *system) fillJetStream(seed *rand.Rand) {
	s.t.Helper()
	conn, err := nats.Connect(s.settings["ENGINE_GRAPHQL_NATS_URL"])
	require.NoError(s.t, err)
	defer conn.Close()
	js, err := jetstream.New(conn)
	require.NoError(s.t, err)
	// Each try has its own time: one that finds no leader uses it up.
	try := func(do func(ctx context.Context) error) error {
		ctx, cancel := context.WithTimeout(s.t.Context(), 10*time.Second)
		defer cancel()
		return do(ctx)
	}
	eventually(s.t, startLimit, func() bool {
		err = try(func(ctx context.Context) error {
			_, err := js.CreateStream(ctx, jetstream.StreamConfig{Name: "FILLER", Subjects: []string{"filler"}, Replicas: 3})
			if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
				return nil // made by a try that did not hear of it
			}
			return err
		})
		return err == nil
	}, func() string { return "no stream: " + err.Error() })
	for err == nil {
		err = try(func(ctx context.Context) error {
			_, err := js.Publish(ctx, "filler", make([]byte, 1<<20))
			return err
		})
	}
	s.t.Logf("JetStream takes no more: %s", err)
	linger(seed, time.Second, 4*time.Second)
	eventually(s.t, startLimit, func() bool {
		err = try(func(ctx context.Context) error {
			err := js.DeleteStream(ctx, "FILLER")
			if errors.Is(err, jetstream.ErrStreamNotFound) {
				return nil // deleted by a try that did not hear of it
			}
			return err
		})
		return err == nil
	}, func() string { return "the stream stays: " + err.Error() })
}

// link is a connection to a database that can hang: data arrives later then. It can lead to another one, too.
type link struct {
	url string

	mu               sync.Mutex
	open             chan struct{} // closed while the link isn't hanging
	network, address string
	conns            map[net.Conn]struct{}
}

func newLink(t *testing.T, to string) *link {
	t.Helper()
	u, err := url.Parse(to)
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	l := &link{open: make(chan struct{}), conns: map[net.Conn]struct{}{}}
	close(l.open)
	l.lead(u)
	u.Host = listener.Addr().String()
	q := u.Query()
	q.Del("host")
	q.Del("port")
	u.RawQuery = q.Encode()
	l.url = u.String()
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go l.serve(client)
		}
	}()
	return l
}

// lead has new connections go to a server.
func (l *link) lead(to *url.URL) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.network, l.address = "tcp", to.Host
	if host := to.Query().Get("host"); host != "" {
		l.network, l.address = "unix", host+"/.s.PGSQL."+to.Query().Get("port")
	}
}

// move has the link lead to another server, and cuts its connections.
func (l *link) move(t *testing.T, to string) {
	t.Helper()
	u, err := url.Parse(to)
	require.NoError(t, err)
	l.lead(u)
	l.mu.Lock()
	defer l.mu.Unlock()
	for conn := range l.conns {
		_ = conn.Close()
	}
}

// dial connects to where the link leads.
func (l *link) dial() (net.Conn, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	conn, err := net.Dial(l.network, l.address)
	if err == nil {
		l.conns[conn] = struct{}{}
	}
	return conn, err
}

func (l *link) serve(client net.Conn) {
	defer client.Close()
	server, err := l.dial()
	if err != nil {
		return
	}
	defer func() {
		_ = server.Close()
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.conns, server)
	}()
	go func() {
		defer server.Close()
		l.copy(server, client)
	}()
	l.copy(client, server)
}

func (l *link) copy(to io.Writer, from io.Reader) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		l.mu.Lock()
		open := l.open
		l.mu.Unlock()
		<-open
		if _, werr := to.Write(buffer[:n]); err != nil || werr != nil {
			return
		}
	}
}

func (l *link) hang() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = make(chan struct{})
}

func (l *link) goOn() {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.open)
}
