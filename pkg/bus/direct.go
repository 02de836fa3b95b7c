package bus

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"sync/atomic"

	"github.com/nats-io/nats.go"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"
)

// A request by way of the NATS server crosses two sockets, and so does its answer, with a process in
// between that has to be woken up each time. So a responder may have a small NATS server of its own,
// for nothing but its requests and their answers. Callers connect to it in addition to NATS, with
// credentials that they receive through NATS; callers that may not ask there receive none, and may do
// nothing here. A direct connection is optional: while there is none, requests go through NATS as all
// other messages do, and the presence of responders is announced through NATS alone.

// DirectServer is a NATS server in this process that callers connect to.
type DirectServer interface {
	nats.InProcessConnProvider
	// InProcessUser is the user that this process connects as.
	InProcessUser() (name, password string)
	// Port is where it listens.
	Port() int
	// Callers is how many connections from other processes it has.
	Callers() int
	Stop()
}

// DirectOptions are what a DirectServer is made for.
type DirectOptions struct {
	Host string
	// Port is 0 for one of the system's choice.
	Port int
	// MaxPayload of a message in bytes.
	MaxPayload int
	// TLS is nil for a server without.
	TLS *tls.Config
	// Caller is the one user that may connect, Password its password.
	Caller   Permissions
	Password string
	// Logger gets the server's warnings and errors.
	Logger *slog.Logger
}

// direct is this process's own server, and the connection to it.
type direct struct {
	server DirectServer
	nc     *nats.Conn
	offer  directOffer
	// frames are sent by it where requests came in bundles.
	frames *bundler
	// calls is how many requests that came in bundles are being answered.
	calls atomic.Int64
}

// directOffer tells a caller how to connect.
type directOffer struct {
	Address     string `json:"address"`
	User        string `json:"user"`
	Password    string `json:"password"`
	Certificate []byte `json:"certificate,omitempty"` // DER; empty without TLS
	// Bundles reports whether requests may come in bundles. A caller that sends them takes answers in them.
	Bundles bool `json:"bundles,omitempty"`
}

// directCaller is the service whose calls may be direct.
const directCaller = ServiceGateway

// Listen has callers in other processes connect directly, to a server that start makes. It listens
// at the address from which this process speaks to NATS, with TLS if that connection has it, and
// at a port of the system's choice if port is 0. It is for services that are registered afterwards,
// and ends with Close. Where several services share the process it does nothing: their calls need
// no connection at all.
func (b *Bus) Listen(ctx context.Context, port int, start func(DirectOptions) (DirectServer, error)) error {
	if b.cfg.Name != QueryExecute.Service {
		return nil
	}
	host, _, err := net.SplitHostPort(b.nc.LocalAddr())
	if err != nil {
		return fmt.Errorf("listen for direct connections: %w", err)
	}
	o := DirectOptions{Host: host, Port: port, MaxPayload: int(b.nc.MaxPayload()), Caller: directPermissions(b.inbox), Password: rand.Text(), Logger: b.log}
	d := &direct{offer: directOffer{User: o.Caller.User, Password: o.Password, Bundles: true}}
	if _, err := b.nc.TLSConnectionState(); err == nil {
		if o.TLS, err = selfSigned(); err != nil {
			return fmt.Errorf("listen for direct connections: %w", err)
		}
		d.offer.Certificate = o.TLS.Certificates[0].Certificate[0]
	}
	if d.server, err = start(o); err != nil {
		return fmt.Errorf("listen for direct connections: %w", err)
	}
	d.offer.Address = net.JoinHostPort(host, strconv.Itoa(d.server.Port()))
	if err := b.joinDirect(ctx, d); err != nil {
		d.server.Stop()
		return fmt.Errorf("listen for direct connections: %w", err)
	}
	b.direct = d
	return nil
}

// joinDirect connects this process to its own server.
func (b *Bus) joinDirect(ctx context.Context, d *direct) (err error) {
	name, password := d.server.InProcessUser()
	d.nc, err = nats.Connect("", append(b.callOptions(), nats.InProcessServer(d.server), nats.UserInfo(name, password),
		// The server closes a connection that doesn't read for long, as when the process is frozen.
		nats.MaxReconnects(-1), nats.ReconnectWait(connectRetry),
		nats.DisconnectErrHandler(func(nc *nats.Conn, _ error) { b.exchanges.cancelAll(nc, errCallerGone) }),
	)...)
	if err != nil {
		return err
	}
	d.frames = &bundler{send: publisher(d.nc), calls: &d.calls, suffix: bundleToken}
	addresses, err := d.nc.Subscribe(addressesSubject(b.inbox), b.onAddress)
	if err == nil {
		err = addresses.SetPendingLimits(-1, -1) // as those of the main connection
	}
	if err == nil {
		err = flush(ctx, d.nc)
	}
	if err != nil {
		d.nc.Close()
	}
	return err
}

// directPermissions are those of callers at the server of the process with this inbox: their
// permissions at NATS, as far as they concern requests to this process.
func directPermissions(inbox string) Permissions {
	p := Permissions{
		User:      directCaller,
		Publish:   []string{addressesSubject(inbox)},
		Subscribe: []string{repliesSubject(InboxPrefix(directCaller) + ".*")},
	}
	for _, e := range endpoints() {
		if e.Direct && e.callers.has(directCaller) {
			own := directSubject(e.Subject, instanceOf(inbox))
			p.Publish = append(p.Publish, own, own+bundleSuffix, cancelSubject(e.Service))
		}
	}
	return p
}

// handleDirect has e answer what comes to this process's own server, too.
func (s *Service) handleDirect(e *endpoint) error {
	d := s.bus.direct
	if d == nil || !e.Direct {
		return nil
	}
	own := directSubject(e.Subject, instanceOf(s.bus.inbox))
	for subject, handle := range map[string]nats.MsgHandler{
		own: func(m *nats.Msg) {
			e.take(incoming{nc: d.nc, reply: m.Reply, data: m.Data, header: m.Header})
		},
		own + bundleSuffix: func(m *nats.Msg) {
			eachParcel(m.Data, func(reply string, data []byte) {
				e.take(incoming{nc: d.nc, reply: reply, data: data, frames: d.frames})
			})
		},
		cancelSubject(e.Service): s.bus.onCancel,
	} {
		sub, err := d.nc.Subscribe(subject, handle)
		if err != nil {
			return err
		}
		s.directs = append(s.directs, sub)
	}
	return flush(s.base, d.nc)
}

// offerDirect answers DirectOffer.
func (s *Service) offerDirect() error {
	d := s.bus.direct
	if d == nil || s.info.Name != QueryExecute.Service {
		return nil
	}
	answer, err := json.Marshal(d.offer)
	if err != nil {
		return err
	}
	return s.Handle(DirectOffer(instanceOf(s.bus.inbox)), func() proto.Message { return &emptypb.Empty{} },
		func(_ context.Context, _ proto.Message, w ResponseWriter) error {
			_, err := w.Write(answer)
			return err
		})
}

// close ends the server once its callers, which know that the services leave, are gone.
func (d *direct) close(ctx context.Context) {
	_ = flush(ctx, d.nc) // the server ends in any case
	for d.server.Callers() > 0 && pause(ctx, directPoll) {
	}
	d.nc.Close()
	d.server.Stop()
}
