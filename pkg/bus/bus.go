package bus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
	"github.com/prometheus/client_golang/prometheus"
)

const (
	defaultFrameSize = 512 << 10
	defaultWindow    = 4
	defaultHeartbeat = time.Second

	connectTimeout = 2 * time.Second
	connectRetry   = 250 * time.Millisecond
	// connectNotice is how often a start repeats that it is waiting for NATS.
	connectNotice = 5 * time.Second
	flushTimeout  = 5 * time.Second
	// readTimeout bounds a JetStream request that is retried: without quorum there is no answer, and a
	// request sent before quorum returned gets none either.
	readTimeout  = 2 * time.Second
	drainTimeout = 10 * time.Second
	// payloadMargin is kept free in a message for its headers and subjects.
	payloadMargin = 4 << 10
)

// Config configures a Bus: where NATS is, and how much may be in progress. Either URL or InProcess is
// required, everything else has a default.
type Config struct {
	// URL of the NATS servers, comma separated.
	URL string
	// InProcess is a server in this process (a *natsserver.Server), connected to without
	// a socket; URL is not used then.
	InProcess nats.InProcessConnProvider
	// Name of the connection, as operators see it: the service's name. It is a NATS token, and
	// part of the private subjects of this process.
	Name string
	// Instance is unique per process; made when empty.
	Instance string
	// Credentials is the path of a NATS credentials file, "" for none.
	Credentials string
	// Sealer hides secrets in changes of the metadata from other readers of their stream; nil for none.
	Sealer Sealer
	// FrameSize is the most bytes of an answer in one message, 512 KiB by default; the
	// server's maximum payload bounds it.
	FrameSize int
	// Window is how many frames a sender may have under way before this process, as the
	// caller, has taken the first of them; 4 by default.
	Window int
	// Heartbeat is how often a responder reports that it is still working, 1 second by default. It
	// should be the same in all services.
	Heartbeat time.Duration
	// IdleTimeout is how long a caller hears nothing from its responder before it gives
	// it up, 4 heartbeats by default.
	IdleTimeout time.Duration
	// Logger gets connection losses and faults of messages; nil for none.
	Logger *slog.Logger
	// Registerer takes the metrics of the bus; nil for none.
	Registerer prometheus.Registerer
}

func (c *Config) fill() error {
	if c.URL == "" && c.InProcess == nil {
		return errors.New("the URL of the NATS server is missing")
	}
	c.Instance = cmp.Or(c.Instance, nuid.Next())
	c.Name = cmp.Or(c.Name, "engine")
	c.FrameSize = cmp.Or(c.FrameSize, defaultFrameSize)
	c.Window = cmp.Or(c.Window, defaultWindow)
	c.Heartbeat = cmp.Or(c.Heartbeat, defaultHeartbeat)
	c.IdleTimeout = cmp.Or(c.IdleTimeout, 4*c.Heartbeat)
	if !IsToken(c.Name) {
		return fmt.Errorf("the name of a connection to NATS cannot be %q", c.Name)
	}
	if c.FrameSize < 0 || c.Window < 0 || c.Heartbeat < 0 || c.IdleTimeout < 0 {
		return errors.New("the limits of the bus must be positive")
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return nil
}

// Bus is a connection to NATS. It is safe for concurrent use.
type Bus struct {
	cfg     Config
	log     *slog.Logger
	metrics *metrics
	nc      *nats.Conn
	main    *wire // nc, for calls
	js      jetstream.JetStream
	reads   jetstream.JetStream // js for small requests that are retried: it times out sooner
	// These are shared by all users in this process.
	changes    *Changes
	snapshots  *Snapshots
	deliveries *Deliveries
	lastErr    atomic.Pointer[error] // why the connection was lost

	// inbox begins the private subjects of this process.
	inbox     string
	callCount atomic.Uint64
	callsMu   sync.Mutex
	calls     map[string]*remoteCall

	// endpoints are those of this process by subject; the map is replaced, not changed.
	endpoints   atomic.Pointer[map[string]*endpoint]
	endpointsMu sync.Mutex
	exchanges   exchanges
	directory   directory
	direct      *direct // nil when callers don't connect directly

	stopPulse chan struct{}
	closed    chan struct{}
	closeOnce sync.Once
}

// Connect connects to NATS. It keeps trying until ctx is done; a connection that is lost
// later is taken up again for ever.
func Connect(ctx context.Context, c Config) (*Bus, error) {
	if err := c.fill(); err != nil {
		return nil, err
	}
	b := &Bus{
		cfg:       c,
		log:       c.Logger,
		metrics:   newMetrics(c.Registerer),
		inbox:     newInbox(c.Name),
		calls:     map[string]*remoteCall{},
		exchanges: newExchanges(),
		directory: directory{services: map[string][]*member{}},
		stopPulse: make(chan struct{}),
		closed:    make(chan struct{}),
	}
	b.endpoints.Store(&map[string]*endpoint{})
	if err := b.dial(ctx); err != nil {
		return nil, err
	}
	if err := b.start(ctx); err != nil {
		b.nc.Close()
		return nil, err
	}
	return b, nil
}

// dial waits for a server that isn't up yet, and logs that immediately, when the reason changes, and
// every connectNotice.
func (b *Bus) dial(ctx context.Context) error {
	last, said := "", time.Time{}
	for {
		nc, err := nats.Connect(b.cfg.URL, b.options()...)
		if err == nil {
			b.nc, b.main = nc, &wire{nc: nc, inbox: b.inbox}
			return nil
		}
		var wrong *url.Error
		if errors.As(err, &wrong) {
			err = wrong.Err // the rest repeats the password
		}
		if ctx.Err() == nil && (err.Error() != last || time.Since(said) >= connectNotice) {
			last, said = err.Error(), time.Now()
			b.log.WarnContext(ctx, "waiting for NATS", "servers", places(b.cfg.URL), "reason", err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("cannot connect to NATS at %s: %w", places(b.cfg.URL), err)
		case <-time.After(connectRetry):
		}
	}
}

// places are the servers of a comma-separated list of addresses, without users and passwords.
func places(addresses string) string {
	list := strings.Split(addresses, ",")
	for i, address := range list {
		address = strings.TrimSpace(address)
		if _, rest, ok := strings.Cut(address, "://"); ok {
			address = rest
		}
		list[i] = address[strings.LastIndexByte(address, '@')+1:]
	}
	return strings.Join(list, ", ")
}

// callOptions are those of every connection that calls go over.
func (b *Bus) callOptions() []nats.Option {
	return []nats.Option{
		nats.Name(b.cfg.Name + " " + b.cfg.Instance),
		nats.CustomInboxPrefix(InboxPrefix(b.cfg.Name)),
		nats.Timeout(connectTimeout),
		// What can't be sent now fails now: a message that waited for the connection to return would
		// arrive after its sender has given up.
		nats.ReconnectBufSize(-1),
		nats.PingInterval(10 * time.Second),
		nats.ErrorHandler(func(_ *nats.Conn, sub *nats.Subscription, err error) {
			subject := ""
			if sub != nil {
				subject = sub.Subject
			}
			b.log.Error("fault on the NATS connection", "subject", subject, "error", err)
		}),
	}
}

func (b *Bus) options() []nats.Option {
	o := append(b.callOptions(),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(connectRetry),
		nats.ReconnectJitter(connectRetry, connectRetry),
		nats.DrainTimeout(drainTimeout),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) { b.disconnected(err) }),
		nats.ReconnectHandler(func(*nats.Conn) { b.reconnected() }),
		nats.ClosedHandler(func(*nats.Conn) { close(b.closed) }),
	)
	if b.cfg.InProcess != nil {
		o = append(o, nats.InProcessServer(b.cfg.InProcess))
		if server, ok := b.cfg.InProcess.(interface {
			InProcessUser() (name, password string)
		}); ok {
			if name, password := server.InProcessUser(); name != "" {
				o = append(o, nats.UserInfo(name, password))
			}
		}
	}
	if b.cfg.Credentials != "" {
		o = append(o, nats.UserCredentials(b.cfg.Credentials))
	}
	return o
}

// start sets up what every process needs on a new connection.
func (b *Bus) start(ctx context.Context) error {
	if err := checkServer(b.nc.ConnectedServerVersion()); err != nil {
		return err
	}
	js, err := jetstream.New(b.nc)
	if err != nil {
		return fmt.Errorf("set up JetStream: %w", err)
	}
	reads, err := jetstream.New(b.nc, jetstream.WithDefaultTimeout(readTimeout))
	if err != nil {
		return fmt.Errorf("set up JetStream: %w", err)
	}
	b.js, b.reads = js, reads
	b.changes = &Changes{bus: b, stuck: stuckWatch{bus: b, stream: ChangesStream}}
	b.snapshots = &Snapshots{bus: b, stuck: stuckWatch{bus: b, stream: objectStream}}
	b.deliveries = &Deliveries{bus: b, stuck: stuckWatch{bus: b, stream: DeliveriesStream}}
	replies, err := b.nc.Subscribe(repliesSubject(b.inbox), func(m *nats.Msg) { b.onReply(b.main, m) })
	if err != nil {
		return fmt.Errorf("subscribe to replies: %w", err)
	}
	addresses, err := b.nc.Subscribe(addressesSubject(b.inbox), b.onAddress)
	if err != nil {
		return fmt.Errorf("subscribe to credits: %w", err)
	}
	// Whose requests may be sent to, this user may hear of.
	for _, service := range b.asks() {
		if _, err := b.nc.Subscribe(presentSubject(service), b.onPresent); err != nil {
			return fmt.Errorf("subscribe to replicas: %w", err)
		}
	}
	// Credits bound what comes here; NATS must not drop any of it by its own limits.
	for _, sub := range []*nats.Subscription{replies, addresses} {
		if err := sub.SetPendingLimits(-1, -1); err != nil {
			return fmt.Errorf("lift the limits of the inbox: %w", err)
		}
	}
	if err := b.flush(ctx); err != nil {
		return fmt.Errorf("cannot talk to NATS: %w", err)
	}
	b.metrics.connected.Inc()
	go b.pulse()
	return nil
}

// Close hands out what was received, sends what was published, and ends the connection.
// It is safe to call twice.
func (b *Bus) Close() {
	b.closeOnce.Do(func() {
		close(b.stopPulse)
		b.endLines()
		if b.direct != nil {
			ctx, cancel := context.WithTimeout(context.Background(), directPatience)
			b.direct.close(ctx)
			cancel()
		}
		if err := b.nc.Drain(); err != nil {
			b.nc.Close()
		}
		select {
		case <-b.closed:
		case <-time.After(drainTimeout + time.Second):
			b.nc.Close()
		}
		b.lost(errors.New("the connection was closed"))
	})
}

// Instance identifies this process among all others.
func (b *Bus) Instance() string { return b.cfg.Instance }

// Status is nil while connected, else a description of the problem.
func (b *Bus) Status() error {
	switch b.nc.Status() {
	case nats.CONNECTED, nats.DRAINING_PUBS, nats.DRAINING_SUBS:
		return nil
	case nats.CLOSED:
		return errors.New("the connection to NATS is closed")
	}
	if last := b.lastErr.Load(); last != nil && *last != nil {
		return fmt.Errorf("not connected to NATS (%w), trying again", *last)
	}
	return errors.New("not connected to NATS, trying again")
}

func (b *Bus) disconnected(err error) {
	b.lastErr.Store(&err)
	b.metrics.connected.Dec()
	select {
	case <-b.stopPulse: // closed on purpose
	default:
		b.log.Warn("connection to NATS lost", "error", err)
	}
	b.lost(b.Status())
}

func (b *Bus) reconnected() {
	b.metrics.connected.Inc()
	b.metrics.reconnects.Inc()
	b.log.Info("reconnected to NATS", "server", b.nc.ConnectedUrlRedacted())
}

// lost ends everything that was under way by NATS: its messages may be gone.
func (b *Bus) lost(reason error) {
	if reason == nil {
		reason = errors.New("the connection was interrupted")
	}
	err := notConnected(reason)
	b.callsMu.Lock()
	for _, c := range b.calls {
		if c.wire == b.main {
			c.breakOff(c.lost(err))
		}
	}
	b.callsMu.Unlock()
	b.exchanges.cancelAll(b.nc, err)
}

// pulse sends the heartbeats of this process's responders and notices the silence of
// those it waits for.
func (b *Bus) pulse() {
	// Twice per heartbeat, so that one that is due is late by half of it at most.
	t := time.NewTicker(max(b.cfg.Heartbeat/2, time.Millisecond))
	defer t.Stop()
	last := time.Now()
	for {
		select {
		case <-b.stopPulse:
			return
		case now := <-t.C:
			for _, e := range b.exchanges.silentSince(now.Add(-b.cfg.Heartbeat)) {
				e.beat(now)
			}
			b.Announce()
			b.watchMembers(now, now.Sub(last)-b.cfg.Heartbeat)
			last = now
			b.watchCalls(now)
		}
	}
}

// flush returns when the server has seen everything that was sent before.
func (b *Bus) flush(ctx context.Context) error { return flush(ctx, b.nc) }

// flush is Bus.flush for any connection.
func flush(ctx context.Context, nc *nats.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, flushTimeout)
	defer cancel()
	return nc.FlushWithContext(ctx)
}

// connected runs f with a context that ends when the connection is lost: NATS would let f
// wait for an answer that can't come.
func (b *Bus) connected(ctx context.Context, f func(ctx context.Context) error) error {
	inner, cancel := b.until(ctx, nats.RECONNECTING, nats.CLOSED)
	defer cancel()
	err := f(inner)
	if err != nil && inner.Err() != nil && ctx.Err() == nil {
		return notConnected(err)
	}
	return err
}

// until gives a context that also ends when the connection gets one of the states.
func (b *Bus) until(ctx context.Context, states ...nats.Status) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	reached := b.nc.StatusChanged(states...)
	go func() {
		defer b.nc.RemoveStatusListener(reached)
		select {
		case <-ctx.Done():
		case <-reached:
			cancel()
		}
	}()
	return ctx, cancel
}

// frameLimit is the most bytes that one message of this connection takes.
func (b *Bus) frameLimit() int {
	return max(1, min(b.cfg.FrameSize, int(b.nc.MaxPayload())-payloadMargin))
}
