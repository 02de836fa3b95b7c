package natsserver_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/bus"
	"queryengine/pkg/bus/natsserver"
)

// readers are users who may read and do nothing else.
func readers() []bus.Permissions {
	list := []bus.Permissions{bus.ChangesReader("search", bus.PublishedName{Source: "default", Name: "items"}), bus.ChangesReader("audit", bus.PublishedName{Source: "default", Name: "bills"})}
	for _, u := range bus.Users() {
		if u.User == bus.UserMetadataReader {
			list = append(list, u)
		}
	}
	return list
}

// embedded is the server of engine serve, with all users.
func embedded(t *testing.T) (address func(user string) string) {
	t.Helper()
	dir := t.TempDir()
	var users []natsserver.User
	for _, u := range append(bus.Users(), readers()[:2]...) {
		users = append(users, natsserver.User{Name: u.User, Password: "of-" + u.User, Publish: u.Publish, Subscribe: u.Subscribe, NoPublish: u.NoPublish, Inbox: u.Inbox})
	}
	s, err := natsserver.Start(natsserver.Config{Dir: dir, Port: -1, NoSync: true, Users: users})
	require.NoError(t, err)
	t.Cleanup(s.Stop)
	return func(user string) string {
		name, password := user, "of-"+user
		if user == "" {
			name, password = s.InProcessUser()
		}
		return strings.Replace(s.ClientURL(), "//", "//"+name+":"+password+"@", 1)
	}
}

// deployed is a server with deploy/nats/accounts.conf, in which the user of nothing is engine.
func deployed(t *testing.T) (address func(user string) string) {
	t.Helper()
	for _, user := range bus.AllUsers() {
		t.Setenv(bus.PasswordVariable(user), "of-"+user)
	}
	o, err := server.ProcessConfigFile(filepath.Join("..", "..", "..", "deploy", "nats", "accounts.conf"))
	require.NoError(t, err)
	o.Host, o.Port, o.JetStream, o.StoreDir, o.NoSigs = "127.0.0.1", -1, true, t.TempDir(), true
	s, err := server.NewServer(o)
	require.NoError(t, err)
	s.Start()
	t.Cleanup(s.Shutdown)
	require.True(t, s.ReadyForConnections(20*time.Second))
	return func(user string) string {
		if user == "" {
			user = bus.UserEngine
		}
		return strings.Replace(s.ClientURL(), "//", "//"+user+":of-"+user+"@", 1)
	}
}

// filled is a subject with names instead of wildcards.
func filled(subject string) string {
	return strings.ReplaceAll(strings.ReplaceAll(subject, "*", "x"), ">", "x.y")
}

// TestReadersHaveNoEffect: what a reader asks is answered to itself alone, whatever subject it names for the reply, with any payload and header.
func TestReadersHaveNoEffect(t *testing.T) {
	for name, start := range map[string]func(*testing.T) func(string) string{"embedded": embedded, "deployed": deployed} {
		t.Run(name, func(t *testing.T) {
			address := start(t)
			all, err := nats.Connect(address(""), nats.CustomInboxPrefix(bus.InboxPrefix(bus.UserEngine)))
			require.NoError(t, err)
			t.Cleanup(all.Close)
			js, err := jetstream.New(all)
			require.NoError(t, err)
			_, err = js.CreateStream(t.Context(), jetstream.StreamConfig{Name: bus.ChangesStream, Subjects: []string{bus.ChangesSubject}})
			require.NoError(t, err)
			_, err = js.Publish(t.Context(), bus.ChangesSubject, []byte("first"))
			require.NoError(t, err)

			// The subjects of the services, each of which is heard by a user who may hear it.
			var replies []string
			heard := make(chan string, 10_000)
			for _, u := range bus.Users() {
				for _, subject := range append(u.Publish, u.Subscribe...) {
					replies = append(replies, filled(subject))
				}
				for _, subject := range u.Subscribe {
					if u.Inbox == "" && subject != bus.InboxPrefix(bus.UserEngine)+".>" {
						_, err := all.Subscribe(subject, func(m *nats.Msg) { heard <- m.Subject })
						require.NoError(t, err)
					}
				}
			}
			require.NoError(t, all.Flush())
			for _, reader := range readers() {
				if name == "deployed" && reader.User != bus.UserMetadataReader {
					continue
				}
				nc, err := nats.Connect(address(reader.User), nats.CustomInboxPrefix(strings.TrimSuffix(reader.Inbox, ".>")), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
				require.NoError(t, err)
				t.Cleanup(nc.Close)
				for _, subject := range reader.Publish {
					for _, reply := range replies {
						for _, payload := range []string{"", `{"seq":1}`, `{"name":"METADATA","subjects":["engine.>"],"republish":{"src":">","dest":"engine.metadata.apply"}}`} {
							m := nats.NewMsg(filled(subject))
							m.Reply, m.Data = reply, []byte(payload)
							m.Header.Set("Engine-Version", "9")
							require.NoError(t, nc.PublishMsg(m))
						}
					}
				}
				require.NoError(t, nc.Flush())
			}
			// The server has handled all when it has answered what comes last.
			stream, err := js.Stream(t.Context(), bus.ChangesStream)
			require.NoError(t, err)
			require.EqualValues(t, 1, stream.CachedInfo().State.LastSeq, "answers came into the stream")
			require.Equal(t, []string{bus.ChangesSubject}, stream.CachedInfo().Config.Subjects)
			require.NoError(t, all.Flush())
			require.Empty(t, heard, "answers came to services")

			// It still reads and hears what it may.
			reader, err := nats.Connect(address(bus.UserMetadataReader), nats.CustomInboxPrefix(bus.ReaderInboxPrefix))
			require.NoError(t, err)
			t.Cleanup(reader.Close)
			changes, err := reader.SubscribeSync(bus.ChangesSubject)
			require.NoError(t, err)
			require.NoError(t, reader.Flush())
			own, err := jetstream.New(reader)
			require.NoError(t, err)
			seen, err := own.Stream(t.Context(), bus.ChangesStream)
			require.NoError(t, err)
			m, err := seen.GetMsg(t.Context(), 1)
			require.NoError(t, err)
			require.Equal(t, "first", string(m.Data))
			_, err = js.Publish(t.Context(), bus.ChangesSubject, []byte("second"))
			require.NoError(t, err)
			// Late answers to what the same user asked for with this reply come here, and to no other user.
			for got := ""; got != "second"; {
				m, err := changes.NextMsg(20 * time.Second)
				require.NoError(t, err)
				got = string(m.Data)
			}
		})
	}
}
