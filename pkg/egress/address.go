package egress

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"syscall"
)

// networks are the names that Config.Refuse knows.
var networks = map[string][]netip.Prefix{
	// The unspecified address reaches the machine itself.
	"loopback":   prefixes("127.0.0.0/8", "::1/128", "0.0.0.0/8", "::/128"),
	"private":    prefixes("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7"),
	"link-local": prefixes("169.254.0.0/16", "fe80::/10", "224.0.0.0/4", "ff00::/8"),
	// Where clouds serve metadata outside the link-local networks.
	"metadata": prefixes("169.254.169.254/32", "169.254.170.2/32", "100.100.100.200/32", "168.63.129.16/32",
		"192.0.0.192/32", "fd00:ec2::254/128", "fd20:ce::254/128"),
}

func prefixes(texts ...string) []netip.Prefix {
	list := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		list[i] = netip.MustParsePrefix(text)
	}
	return list
}

// embedding are the networks whose addresses carry an IPv4 address in their last four bytes.
var embedding = prefixes("64:ff9b::/96", "::/96")

// rule decides which addresses may be dialled.
type rule struct{ refused []netip.Prefix }

func (c Config) rule() (rule, error) {
	var r rule
	for _, name := range c.Refuse {
		if list, ok := networks[name]; ok {
			r.refused = append(r.refused, list...)
			continue
		}
		prefix, err := netip.ParsePrefix(name)
		if err != nil {
			return rule{}, fmt.Errorf("%q is no network that outgoing calls can be refused to", name)
		}
		r.refused = append(r.refused, prefix.Masked())
	}
	return r, nil
}

var errRefused = errors.New("the address is refused")

// the dialer calls control for each address that a name resolved to, before it
// connects.
func (r rule) control(_ context.Context, _, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil || r.refuses(ap.Addr()) {
		return errRefused
	}
	return nil
}

func (r rule) refuses(address netip.Addr) bool {
	address = address.Unmap().WithZone("")
	for _, p := range r.refused {
		if p.Contains(address) {
			return true
		}
	}
	if address.Is4() {
		return false
	}
	for _, p := range embedding {
		if p.Contains(address) {
			b := address.As16()
			return r.refuses(netip.AddrFrom4([4]byte(b[12:])))
		}
	}
	return false
}
