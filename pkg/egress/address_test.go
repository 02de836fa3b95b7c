package egress

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRefusedAddresses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		refuse           []string
		refused, allowed []string
	}{
		"by default": {
			DefaultConfig().Refuse,
			[]string{"169.254.169.254", "169.254.1.1", "fe80::1", "fe80::1%eth0", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "100.100.100.200", "fd00:ec2::254", "224.0.0.1"},
			[]string{"127.0.0.1", "::1", "10.0.0.1", "192.168.1.1", "8.8.8.8", "2001:db8::1", "64:ff9b::808:808"},
		},
		"loopback":  {[]string{"loopback"}, []string{"127.0.0.2", "::1", "0.0.0.0", "::", "::ffff:127.0.0.1"}, []string{"10.0.0.1", "169.254.169.254"}},
		"private":   {[]string{"private"}, []string{"10.9.8.7", "172.31.0.1", "192.168.0.1", "fd12::1", "64:ff9b::a00:1"}, []string{"172.32.0.1", "127.0.0.1"}},
		"a network": {[]string{"203.0.113.7/24"}, []string{"203.0.113.1", "::203.0.113.1"}, []string{"203.0.114.1"}},
		"nothing":   {nil, nil, []string{"169.254.169.254"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := Config{Refuse: c.refuse}.rule()
			require.NoError(t, err)
			for _, a := range c.refused {
				require.True(t, r.refuses(netip.MustParseAddr(a)), a)
			}
			for _, a := range c.allowed {
				require.False(t, r.refuses(netip.MustParseAddr(a)), a)
			}
		})
	}
	_, err := New(Config{Refuse: []string{"everything"}})
	require.EqualError(t, err, `"everything" is no network that outgoing calls can be refused to`)
}

// TestDialledAddressCounts is about names: a host that is called by a name which leads to a
// refused address, as one does whose answer changes between two look-ups, is not dialled.
func TestDialledAddressCounts(t *testing.T) {
	t.Parallel()
	c := DefaultConfig()
	c.Refuse = []string{"loopback"}
	client, err := New(c)
	require.NoError(t, err)
	t.Cleanup(client.Close)
	_, err = client.Do(t.Context(), &Request{Method: "GET", URL: "http://localhost:1/"})
	var e *Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, Refused, e.Kind)
}
