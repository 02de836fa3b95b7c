package bus

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/bus/natsserver"
)

// TestForeignMessageInTheStream: followers skip messages that aren't changes of the stream, wherever they are, and
// the publisher learns that it has to rebuild the stream behind one.
func TestForeignMessageInTheStream(t *testing.T) {
	t.Parallel()
	for name, header := range map[string]nats.Header{
		"no version":     {},
		"bad part":       {headerStream: {"db-1"}, headerVersion: {"3"}, headerPart: {"x"}},
		"another stream": {headerStream: {"db-2"}, headerVersion: {"99"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, err := natsserver.Start(natsserver.Config{Dir: t.TempDir(), Port: -1, NoSync: true})
			require.NoError(t, err)
			t.Cleanup(server.Stop)
			b, err := Connect(t.Context(), Config{URL: server.ClientURL()})
			require.NoError(t, err)
			t.Cleanup(b.Close)
			c := b.Changes()
			require.NoError(t, c.Ensure(t.Context(), "db-1", 1))
			foreign := func() {
				_, err := b.js.PublishMsg(t.Context(), &nats.Msg{Subject: ChangesSubject, Header: header, Data: []byte("{}")})
				require.NoError(t, err)
			}
			require.NoError(t, c.Publish(t.Context(), 1, []byte("1")))
			foreign()
			require.ErrorIs(t, c.Publish(t.Context(), 2, []byte("2")), ErrStuck)
			_, err = c.Info(t.Context())
			require.ErrorIs(t, err, ErrStuck)
			for _, m := range splitChange("db-1", 2, []byte("2"), 100) {
				_, err := b.js.PublishMsg(t.Context(), m)
				require.NoError(t, err)
			}
			for after := range int64(2) {
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				done := errors.New("done")
				var got []int64
				err := c.Follow(ctx, after, func(_ context.Context, v int64, _ []byte) error {
					if got = append(got, v); v == 2 {
						return done
					}
					return nil
				})
				cancel()
				require.ErrorIs(t, err, done)
				require.Len(t, got, int(2-after))
			}
			foreign()
			require.NoError(t, c.Rebuild(t.Context(), "db-1", 1))
			require.NoError(t, c.Publish(t.Context(), 3, []byte("3")))
		})
	}
}
