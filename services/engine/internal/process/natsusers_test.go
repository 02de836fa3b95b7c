package process

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/bus"
	"queryengine/pkg/bus/natsserver"
	"queryengine/pkg/config"
)

func TestReadersOfPublishedChanges(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	users, err := natsUsers(dir, []config.ChangesReader{{User: "search", Source: "default", Name: "a"}, {User: "search", Source: "my.source", Name: "b"}})
	require.NoError(t, err)
	require.Len(t, users, len(bus.Users())+1)
	i := slices.IndexFunc(users, func(u natsserver.User) bool { return u.Name == "search" })
	require.NotEmpty(t, users[i].Password)
	require.Equal(t, []string{
		"_INBOX_search.>", "changes.default.a", "changes.default.a.>", "changes.my%2Esource.b", "changes.my%2Esource.b.>",
	}, users[i].Subscribe)
	again, err := natsUsers(dir, []config.ChangesReader{{User: "search", Source: "default", Name: "a"}})
	require.NoError(t, err)
	require.Equal(t, users[i].Password, again[len(again)-1].Password)
	_, err = natsUsers(dir, []config.ChangesReader{{User: "gateway", Source: "default", Name: "a"}})
	require.ErrorContains(t, err, `"gateway" of --nats-readers is a user of the engine`)
}
