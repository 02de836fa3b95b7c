package bus_test

import (
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// proxy stands between a process and NATS, and can take the process away as a kill or a
// broken cable would.
type proxy struct {
	listener net.Listener
	mu       sync.Mutex
	conns    []net.Conn
	// gates are held while nothing comes through the connections that they belong to.
	gates []*sync.RWMutex
	// frozen is held while nothing comes through.
	frozen sync.RWMutex
}

// freeze lets nothing through any more, and keeps the connections, as a process that is
// stopped or a network that loses everything does. thaw ends it.
func (p *proxy) freeze() { p.frozen.Lock() }
func (p *proxy) thaw()   { p.frozen.Unlock() }

// stall lets nothing through the connections that there are, and new ones pass. What it returns ends it.
func (p *proxy) stall() (end func()) {
	p.mu.Lock()
	held := slices.Clone(p.gates)
	p.mu.Unlock()
	for _, g := range held {
		g.Lock()
	}
	return func() {
		for _, g := range held {
			g.Unlock()
		}
	}
}

// gate is a connection that is read while neither it nor the proxy is frozen.
type gate struct {
	net.Conn
	proxy, own *sync.RWMutex
}

func (g gate) Read(b []byte) (int, error) {
	n, err := g.Conn.Read(b)
	g.proxy.RLock()
	defer g.proxy.RUnlock()
	g.own.RLock()
	defer g.own.RUnlock()
	return n, err
}

func newProxy(t testing.TB, server string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &proxy{listener: l}
	t.Cleanup(p.cut)
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			upstream, err := net.Dial("tcp", strings.TrimPrefix(server, "nats://"))
			if err != nil {
				_ = client.Close()
				continue
			}
			p.mu.Lock()
			p.conns = append(p.conns, client, upstream)
			own := new(sync.RWMutex)
			p.gates = append(p.gates, own)
			p.mu.Unlock()
			go func() { _, _ = io.Copy(client, gate{upstream, &p.frozen, own}) }()
			go func() { _, _ = io.Copy(upstream, gate{client, &p.frozen, own}) }()
		}
	}()
	return p
}

func (p *proxy) url() string { return "nats://" + p.listener.Addr().String() }

// cut ends all connections and lets no new one in.
func (p *proxy) cut() {
	_ = p.listener.Close()
	p.interrupt()
}

// interrupt ends all connections.
func (p *proxy) interrupt() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		_ = c.Close()
	}
}

func address(host string, port int) string { return net.JoinHostPort(host, strconv.Itoa(port)) }

func portOf(p *proxy) int { return p.listener.Addr().(*net.TCPAddr).Port }
