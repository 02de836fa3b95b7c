package metadata

import (
	"context"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/bus"
	"queryengine/pkg/session"
	metadatav1 "queryengine/proto/metadata/v1"
)

// TestFaultsOfChangesAreTheirOwn: changes of metadata are made one after the other, so one waits for another that hangs on its database. It is
// made when that one ends, however it ends; meanwhile requests that only read are answered, and wrong ones refused.
func TestFaultsOfChangesAreTheirOwn(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(cancel func(), database *silent){
		"is cancelled": func(cancel func(), _ *silent) { cancel() },
		"is slow":      func(_ func(), database *silent) { database.close() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, i := startShop(t)
			database := newSilent(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			request := func(ctx context.Context, role, body string) error {
				s := &session.Session{Role: role, Variables: map[string]string{session.RoleHeader: role}}
				_, _, err := i.bus.CallMessage(ctx, bus.MetadataApply, &metadatav1.ApplyRequest{Endpoint: v1metadata, Session: s.Proto(), Body: []byte(body)},
					func() proto.Message { return &metadatav1.ApplyHead{} }, 64<<20)
				return err
			}
			hung, other := make(chan error, 1), make(chan error, 1)
			go func() {
				hung <- request(ctx, session.Admin, `{"type":"pg_add_source","args":{"name":"silent","configuration":{"connection_info":{
					"database_url":"postgres://a:b@`+database.Addr().String()+`/c?sslmode=disable","pool_settings":{"retries":0}}}}}`)
			}()
			<-database.asked
			go func() { other <- request(t.Context(), session.Admin, track) }()
			i.ok(t, `{"type":"export_metadata","args":{}}`)
			i.fails(t, v1metadata, `{"type":"no_such_command","args":{}}`, "parse-failed", "$",
				`unknown metadata command "no_such_command"; "no" was not recognized as a valid backend name`)
			require.ErrorContains(t, request(t.Context(), "user", track), "admin")
			select {
			case err := <-other:
				require.Fail(t, "two changes at a time", "%v", err)
			default:
			}
			end(cancel, database)
			require.Error(t, <-hung)
			require.NoError(t, <-other)
			require.NotContains(t, i.export(t), `"silent"`)
			require.Contains(t, i.export(t), `"tables"`)
		})
	}
}

// silent is a server that takes connections and never answers, until it is closed.
type silent struct {
	net.Listener
	asked chan struct{}
	ended chan struct{}
}

func newSilent(t *testing.T) *silent {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // a test
	require.NoError(t, err)
	s := &silent{l, make(chan struct{}, 100), make(chan struct{})}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			s.asked <- struct{}{}
			go func() {
				<-s.ended
				_ = conn.Close()
			}()
		}
	}()
	return s
}

func (s *silent) close() {
	close(s.ended)
	_ = s.Close()
}
