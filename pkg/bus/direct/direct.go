// Package direct gives a process the NATS server that callers connect to directly.
package direct

import (
	"queryengine/pkg/bus"
	"queryengine/pkg/bus/natsserver"
)

// Start runs a server as bus.Bus.Listen takes it.
func Start(o bus.DirectOptions) (bus.DirectServer, error) {
	return natsserver.StartDirect(natsserver.DirectConfig{
		Host: o.Host, Port: o.Port, MaxPayload: o.MaxPayload, TLS: o.TLS, Logger: o.Logger,
		Caller: natsserver.User{
			Name: o.Caller.User, Password: o.Password, Publish: o.Caller.Publish, Subscribe: o.Caller.Subscribe,
		},
	})
}
