package egress

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Host is an entry of the TLS allow list: a host whose certificate need not chain to a known
// root, nor carry its name.
type Host struct {
	Host string `json:"host"`
	// Suffix is a port or a range of ports, empty for all.
	Suffix string `json:"suffix"`
}

// Allowlist reads the list out of the network part of the metadata.
func Allowlist(network json.RawMessage) ([]Host, error) {
	if len(network) == 0 {
		return nil, nil
	}
	var n struct {
		Hosts []Host `json:"tls_allowlist"`
	}
	if err := json.Unmarshal(network, &n); err != nil {
		return nil, fmt.Errorf("read the TLS allow list: %w", err)
	}
	return n.Hosts, nil
}

// SetAllowlist changes the list for calls from now on.
func (c *Client) SetAllowlist(hosts []Host) {
	c.allowed.Store(&hosts)
	c.trusted.CloseIdleConnections()
}

func allows(hosts []Host, u *url.URL) bool {
	for _, h := range hosts {
		if strings.EqualFold(h.Host, u.Hostname()) && h.covers(u.Port()) {
			return true
		}
	}
	return false
}

// covers reports whether the entry is about the port, "" for that of https.
func (h Host) covers(port string) bool {
	if h.Suffix == "" {
		return true
	}
	if port == "" {
		port = "443"
	}
	n, err := strconv.Atoi(port)
	first, last, isRange := strings.Cut(strings.TrimPrefix(h.Suffix, ":"), "-")
	if !isRange {
		last = first
	}
	from, err1 := strconv.Atoi(first)
	to, err2 := strconv.Atoi(last)
	return errors.Join(err, err1, err2) == nil && from <= n && n <= to
}

// trustingTLS verifies nothing of a certificate but its dates.
func trustingTLS() *tls.Config {
	return &tls.Config{
		InsecureSkipVerify: true, //nolint:gosec // for hosts that an admin put on the allow list
		VerifyConnection: func(s tls.ConnectionState) error {
			now, leaf := time.Now(), s.PeerCertificates[0]
			if now.Before(leaf.NotBefore) || now.After(leaf.NotAfter) {
				return errExpired
			}
			return nil
		},
	}
}

var errExpired = errors.New("the certificate is out of its dates")
