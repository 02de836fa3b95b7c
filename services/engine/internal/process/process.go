// Package process opens what the services of one process share, with NATS inside of it unless the settings say where it is.
package process

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"queryengine/pkg/bus"
	"queryengine/pkg/bus/natsserver"
	"queryengine/pkg/config"
	"queryengine/pkg/program"
	"queryengine/services/engine/internal/secret"
)

// Directories and files inside of the data directory.
const (
	natsDir = "nats"
	// natsUsersDir has a file with the password of each user of NATS.
	natsUsersDir = "nats-users"
	// metadataKeyFile hides secrets in the stream of the metadata, which is in natsDir.
	metadataKeyFile = "metadata-key"
)

// Process is what services share.
type Process struct {
	Env  *program.Env
	nats *natsserver.Server // nil for one elsewhere
}

// Open starts NATS, or connects to it. Logs go to w. The caller closes the process once its services have stopped.
func Open(ctx context.Context, v *config.Values, w io.Writer) (*Process, error) {
	p := &Process{}
	var inProcess program.Connector
	if config.NATSURL.Get(v) == "" {
		nats, err := startNATS(v)
		if err != nil {
			return nil, err
		}
		p.nats, inProcess = nats, nats
	}
	env, err := program.Open(ctx, config.Engine, v, w, inProcess)
	if err != nil {
		p.stopNATS()
		return nil, err
	}
	p.Env = env
	return p, nil
}

// Close leaves NATS, and stops it if it is inside.
func (p *Process) Close() {
	p.Env.Close()
	p.stopNATS()
}

func (p *Process) stopNATS() {
	if p.nats != nil {
		p.nats.Stop()
	}
}

func startNATS(v *config.Values) (*natsserver.Server, error) {
	dir := filepath.Join(config.DataDir.Get(v), natsDir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, config.DataDir.Spec().Wrong(err)
	}
	c := natsserver.Config{Dir: dir, Port: config.NATSPort.Get(v)}
	if c.Port != 0 {
		var err error
		if c.Users, err = natsUsers(filepath.Join(config.DataDir.Get(v), natsUsersDir), config.NATSReaders.Get(v)); err != nil {
			return nil, fmt.Errorf("users of NATS: %w", err)
		}
	}
	if !config.MetadataKey.IsSet(v) {
		key, err := secret.Kept(filepath.Join(config.DataDir.Get(v), metadataKeyFile))
		if err != nil {
			return nil, fmt.Errorf("key of the metadata: %w", err)
		}
		config.MetadataKey.Default(v, key)
	}
	return natsserver.Start(c)
}

// natsUsers are the users that may connect to the NATS server of this process from outside. Their
// passwords are generated at the first start.
func natsUsers(dir string, readers []config.ChangesReader) ([]natsserver.User, error) {
	all := bus.Users()
	publications := map[string][]bus.PublishedName{}
	for _, r := range readers {
		if slices.Contains(bus.AllUsers(), r.User) {
			return nil, fmt.Errorf("%q of --%s is a user of the engine", r.User, config.NATSReaders.Spec().Flag)
		}
		publications[r.User] = append(publications[r.User], bus.PublishedName{Source: r.Source, Name: r.Name})
	}
	for user, names := range publications {
		all = append(all, bus.ChangesReader(user, names...))
	}
	var users []natsserver.User
	for _, u := range all {
		password, err := secret.Kept(filepath.Join(dir, u.User))
		if err != nil {
			return nil, err
		}
		users = append(users, natsserver.User{Name: u.User, Password: password, Publish: u.Publish, Subscribe: u.Subscribe, NoPublish: u.NoPublish, Inbox: u.Inbox})
	}
	return users, nil
}
