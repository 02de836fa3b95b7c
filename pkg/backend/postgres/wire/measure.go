package wire

import "queryengine/pkg/backend"

// Measure begins to measure a pool that isn't used yet.
func (p *Pool) Measure(m *backend.PoolMetrics, source string, replica bool) {
	p.Meter = m.Pool(backend.PoolLabels{Source: source, Host: p.host(), Replica: replica})
}

// host is the server's, empty when the address isn't known.
func (p *Pool) host() string {
	url, err := p.Endpoint.URL()
	if err != nil {
		return ""
	}
	config, err := DriverConfig(url, p.Endpoint.TLS)
	if err != nil {
		return ""
	}
	return config.Host
}
