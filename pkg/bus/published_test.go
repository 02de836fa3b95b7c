package bus_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/bus"
	"queryengine/pkg/bus/bustest"
	"queryengine/pkg/catalog"
)

var publication = bus.PublishedStreamConfig{Source: "default", Name: "orders", MaxBytes: 64 << 20}

// inserts are changes from a number of a transaction on.
func inserts(first, n int) []backend.ChangeMessage {
	list := make([]backend.ChangeMessage, n)
	for i := range list {
		key := fmt.Appendf(nil, `{"id":%d}`, first+i)
		list[i] = backend.ChangeMessage{
			Op: backend.ChangeInsert, Table: catalog.Name{Schema: "public", Name: "order"}, Key: key, New: key,
			Place:  backend.ChangePlace{Epoch: "e", Ready: true, LSN: 0x1_0000_00AB, Index: int64(first + i)},
			Commit: time.Unix(1_000_000_000, 0), XID: 7,
		}
	}
	return list
}

func published(t *testing.T, url string) (jetstream.JetStream, func() []*jetstream.RawStreamMsg) {
	t.Helper()
	conn, err := nats.Connect(url)
	require.NoError(t, err)
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	require.NoError(t, err)
	return js, func() (list []*jetstream.RawStreamMsg) {
		s, err := js.Stream(t.Context(), bus.PublishedStream("default", "orders"))
		require.NoError(t, err)
		for n := s.CachedInfo().State.FirstSeq; n <= s.CachedInfo().State.LastSeq; n++ {
			m, err := s.GetMsg(t.Context(), n)
			require.NoError(t, err)
			list = append(list, m)
		}
		return list
	}
}

func TestPublishedChanges(t *testing.T) {
	t.Parallel()
	server := bustest.Server(t)
	js, all := published(t, server.ClientURL())
	b := bustest.Connect(t, server)
	p := b.PublishedChanges(publication)
	place, err := p.Place(t.Context())
	require.NoError(t, err)
	require.Zero(t, place)
	require.NoError(t, p.Store(t.Context(), []backend.ChangeMessage{{Op: backend.ChangeBegin, Place: backend.ChangePlace{Epoch: "e"}}}))
	require.NoError(t, p.Store(t.Context(), inserts(1, 1200)))

	list := all()
	require.Len(t, list, 1201)
	require.Equal(t, "changes.default.orders", list[0].Subject)
	require.JSONEq(t, `{"op":"begin","epoch":"e"}`, string(list[0].Data))
	require.Equal(t, "changes.default.orders.public.order", list[1].Subject)
	require.JSONEq(t, `{"op":"insert","epoch":"e","table":{"schema":"public","name":"order"},"key":{"id":1},"new":{"id":1},
		"commit":{"lsn":"1/AB","time":"2001-09-09T01:46:40Z","xid":7}}`, string(list[1].Data))
	require.Equal(t, "insert", list[1].Header.Get("Engine-Op"))
	require.Equal(t, "public.order", list[1].Header.Get("Engine-Table"))
	require.Equal(t, "1/AB", list[1].Header.Get("Engine-LSN"))
	require.Equal(t, "e:1/AB:1", list[1].Header.Get("Nats-Msg-Id"))

	next := b.PublishedChanges(publication)
	place, err = next.Place(t.Context())
	require.NoError(t, err)
	require.Equal(t, inserts(1200, 1)[0].Place, place)
	require.NoError(t, next.Store(t.Context(), inserts(1201, 2)))
	require.Error(t, p.Store(t.Context(), inserts(1201, 1)), "of a process that was replaced")
	require.Error(t, p.Store(t.Context(), inserts(1201, 3)), "of a process that was replaced")
	require.Len(t, all(), 1203)

	require.NoError(t, next.Store(t.Context(), []backend.ChangeMessage{{Op: backend.ChangeBegin, Place: backend.ChangePlace{Epoch: "f"}}}))
	require.Len(t, all(), 1, "what is void is removed")

	names, err := b.Published(t.Context())
	require.NoError(t, err)
	require.Equal(t, []bus.PublishedName{{Source: "default", Name: "orders"}}, names)
	require.NoError(t, next.Delete(t.Context()))
	require.NoError(t, next.Delete(t.Context()))
	_, err = js.Stream(t.Context(), bus.PublishedStream("default", "orders"))
	require.ErrorIs(t, err, jetstream.ErrStreamNotFound)
}

func TestPublishedChangeThatIsTooLarge(t *testing.T) {
	t.Parallel()
	server := bustest.Server(t)
	_, all := published(t, server.ClientURL())
	p := bustest.Connect(t, server).PublishedChanges(publication)
	_, err := p.Place(t.Context())
	require.NoError(t, err)
	large := []byte(`{"text":"` + strings.Repeat("x", 5<<20) + `"}`)
	for i, m := range []struct {
		old, new []byte
		omitted  []string
	}{
		{large, []byte(`{}`), nil},
		{large, large, []string{"old"}},
		{nil, append(append([]byte(`[`), large...), append(append([]byte(`,`), large...), ']')...), []string{"new"}},
	} {
		c := inserts(i, 1)[0]
		c.Old, c.New = m.old, m.new
		require.NoError(t, p.Store(t.Context(), []backend.ChangeMessage{c}))
		list := all()
		var got struct{ Omitted []string }
		require.NoError(t, json.Unmarshal(list[len(list)-1].Data, &got))
		require.Equal(t, m.omitted, got.Omitted)
	}
}

func TestPublishedChangesForgetTheOldest(t *testing.T) {
	t.Parallel()
	server := bustest.Server(t)
	_, all := published(t, server.ClientURL())
	small := publication
	small.MaxBytes = 100_000
	p := bustest.Connect(t, server).PublishedChanges(small)
	_, err := p.Place(t.Context())
	require.NoError(t, err)
	for i := range 10 {
		require.NoError(t, p.Store(t.Context(), inserts(1+200*i, 200)))
	}
	list := all()
	require.Greater(t, list[0].Sequence, uint64(1))
	require.Equal(t, uint64(2000), list[len(list)-1].Sequence)
}
