package metadata

import (
	"encoding/json"
	"slices"

	"queryengine/pkg/apierror"
)

// Network is what outgoing requests are allowed.
type Network struct {
	TLSAllowlist []TLSHost `json:"tls_allowlist,omitempty"`
}

func (n *Network) isDefault() bool { return len(n.TLSAllowlist) == 0 }

// TLSHost is a host whose certificate need not lead to a known authority.
type TLSHost struct {
	Host string `json:"host" meta:"required"`
	// Suffix is a port, "" for any.
	Suffix string `json:"suffix,omitempty"`
	// Permissions hold "self-signed" or nothing, which means the same.
	Permissions []string `json:"permissions,omitempty"`
}

const selfSigned = "self-signed"

func (h *TLSHost) check() error {
	for i, p := range h.Permissions {
		if p != selfSigned {
			return apierror.At(apierror.Newf(apierror.ParseFailed, "expected %s, but found %s", selfSigned, p), "permissions", i)
		}
	}
	return nil
}

func (h *TLSHost) is(host, suffix string) bool { return h.Host == host && h.Suffix == suffix }

// describe names the entry in errors.
func describeTLSHost(host, suffix string) string {
	text := `the host "` + host + `"`
	if suffix != "" {
		text += ` with suffix "` + suffix + `"`
	}
	return text
}

// Egress is the part of the document about outgoing requests.
func (d *Document) Egress() (*Network, error) {
	n := &Network{}
	if isNull(d.Network) {
		return n, nil
	}
	return n, decode(d.Network, n)
}

// AddTLSHost are the arguments of add_host_to_tls_allowlist.
type AddTLSHost struct{ TLSHost }

// UnmarshalJSON also reads the form that is only the host.
func (a *AddTLSHost) UnmarshalJSON(raw []byte) error {
	a.TLSHost = TLSHost{}
	if JSONType(raw) == "String" {
		return decode(raw, &a.Host)
	}
	return decode(raw, &a.TLSHost)
}

// Apply adds the host at the end of the list.
func (a *AddTLSHost) Apply(v View) (*Result, error) {
	if a.Host == "" {
		return nil, apierror.New(apierror.BadRequest, `key "host" cannot be empty`)
	}
	network, err := v.Document.Egress()
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(network.TLSAllowlist, func(h TLSHost) bool { return h.is(a.Host, a.Suffix) }) {
		return nil, apierror.New(apierror.AlreadyExists, describeTLSHost(a.Host, a.Suffix)+" already exists in the allowlist")
	}
	host := a.TLSHost
	if host.Permissions == nil {
		host.Permissions = []string{selfSigned}
	}
	network.TLSAllowlist = append(network.TLSAllowlist, host)
	return v.changeSetting(network, VerdictAny, networkOf)
}

// DropTLSHost are the arguments of drop_host_from_tls_allowlist.
type DropTLSHost struct {
	Host   string `json:"host" meta:"required"`
	Suffix string `json:"suffix"`
}

// UnmarshalJSON also reads the form that is only the host.
func (a *DropTLSHost) UnmarshalJSON(raw []byte) error {
	*a = DropTLSHost{}
	if JSONType(raw) == "String" {
		return decode(raw, &a.Host)
	}
	type fields DropTLSHost
	return decode(raw, (*fields)(a))
}

// Apply removes the host.
func (a *DropTLSHost) Apply(v View) (*Result, error) {
	if a.Host == "" {
		return nil, apierror.New(apierror.BadRequest, "hostname cannot be empty")
	}
	network, err := v.Document.Egress()
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(network.TLSAllowlist, func(h TLSHost) bool { return h.is(a.Host, a.Suffix) })
	if i < 0 {
		return nil, apierror.New(apierror.NotExists, describeTLSHost(a.Host, a.Suffix)+" isn't present in the allowlist")
	}
	network.TLSAllowlist = slices.Delete(network.TLSAllowlist, i, i+1)
	return v.changeSetting(network, VerdictAny, networkOf)
}

func networkOf(d *Document) *json.RawMessage { return &d.Network }
