package egress

import (
	"fmt"
	"net/http"
	"net/url"
	"time"

	"go.opentelemetry.io/otel/propagation"

	"queryengine/pkg/config"
	"queryengine/pkg/extension"
)

// Config restricts calls.
type Config struct {
	// Refuse lists networks that can't be called: loopback, private, link-local, metadata
	// (addresses at which clouds tell a machine its secrets), or a network as in 10.1.0.0/16.
	Refuse []string
	// Proxy is the URL of a proxy, ProxyEnvironment to take it from HTTP_PROXY, HTTPS_PROXY
	// and NO_PROXY, empty for none.
	Proxy config.Secret
	// ConnectTimeout bounds the connection and the TLS handshake, 10 seconds by default.
	ConnectTimeout time.Duration
	// MaxRedirects is how many are followed; 0 takes a redirect for the answer.
	MaxRedirects int
	// MaxResponse is the largest answer in bytes.
	MaxResponse int
	// Connections bounds the connections to one host.
	Connections int
	// ConfiguredHeadersFirst lets the headers of definitions win over those of clients.
	ConfiguredHeadersFirst bool
	// UserAgent is sent where a request has none.
	UserAgent string
	// Propagator writes the trace of a call into its headers, telemetry.Propagator by default.
	Propagator propagation.TextMapPropagator
	// Code answers calls to URLs that name code of this build, nil for none.
	Code *extension.Set
}

// ProxyEnvironment is the value of Proxy that is no URL.
const ProxyEnvironment = "environment"

// DefaultUserAgent is the name of the engine in its calls.
const DefaultUserAgent = "graphql-engine"

// ReadConfig takes the client's settings from the table; userAgent is the name of the engine with its version.
func ReadConfig(v *config.Values, userAgent string) Config {
	return Config{
		UserAgent:      userAgent,
		Refuse:         config.EgressRefuse.Get(v),
		Proxy:          config.EgressProxy.Get(v),
		ConnectTimeout: config.EgressConnectTimeout.Get(v),
		MaxRedirects:   config.EgressMaxRedirects.Get(v),
		MaxResponse:    config.EgressMaxResponse.Get(v),
		Connections:    config.EgressConnections.Get(v),

		ConfiguredHeadersFirst: config.ConfiguredHeaderPrecedence.Get(v),
	}
}

// DefaultConfig is the configuration when no setting is given.
func DefaultConfig() Config {
	return Config{Refuse: []string{"link-local", "metadata"}, MaxRedirects: 10}.withDefaults()
}

func (c Config) withDefaults() Config {
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = 10 * time.Second
	}
	if c.MaxResponse == 0 {
		c.MaxResponse = 32 << 20
	}
	if c.Connections == 0 {
		c.Connections = 100
	}
	if c.UserAgent == "" {
		c.UserAgent = DefaultUserAgent
	}
	return c
}

// proxy is nil for none.
func (c Config) proxy() (func(*http.Request) (*url.URL, error), error) {
	switch text := c.Proxy.Reveal(); text {
	case "":
		return nil, nil
	case ProxyEnvironment:
		return http.ProxyFromEnvironment, nil
	default:
		u, err := url.Parse(text)
		if err != nil || u.Host == "" {
			return nil, fmt.Errorf("the proxy of outgoing calls is neither a URL nor %q", ProxyEnvironment)
		}
		return http.ProxyURL(u), nil
	}
}
