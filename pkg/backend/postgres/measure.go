package postgres

import "queryengine/pkg/backend"

// Measure implements backend.Measurable.
func (s *Source) Measure(m *backend.PoolMetrics, name string) {
	s.primary.measure(m, name, false)
	for _, r := range s.replicas {
		r.measure(m, name, true)
	}
}

// measure begins to measure a pool that isn't used yet.
func (p *pool) measure(m *backend.PoolMetrics, source string, replica bool) {
	p.meter = m.Pool(backend.PoolLabels{Source: source, Host: p.host(), Replica: replica})
}

// host is the server's, empty when the address isn't known.
func (p *pool) host() string {
	url, err := p.endpoint.URL()
	if err != nil {
		return ""
	}
	config, err := driverConfig(url, p.endpoint.TLS)
	if err != nil {
		return ""
	}
	return config.Host
}
