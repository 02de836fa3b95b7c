package postgres

import (
	"encoding/json"
	"slices"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend/postgres/schedule"
	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/metadata"
)

// Configuration configures how a source is reached.
type Configuration struct {
	ConnectionInfo   ConnectionInfo               `json:"connection_info" meta:"required"`
	ReadReplicas     []ConnectionInfo             `json:"read_replicas,omitempty"`
	ExtensionsSchema string                       `json:"extensions_schema,omitempty"`
	ConnectionSet    []ConnectionMember           `json:"connection_set,omitempty"`
	Template         *metadata.ConnectionTemplate `json:"connection_template,omitempty"`
	// ChangeFeed is how executors learn that tables have changed; empty for not at all.
	ChangeFeed string `json:"change_feed,omitempty"`
	// Execution is nil where what is faster is measured.
	Execution *Execution `json:"execution,omitempty"`
	// Session is nil where requests set nothing.
	Session *SessionSettings `json:"session,omitempty"`
	// other is set for flavors that aren't PostgreSQL: they have no triggers on statements, and their policies were not tried.
	other bool
}

// Unsupported refuses to choose connections for each request: the primary would answer for all
// others.
func (c *Configuration) Unsupported() string {
	if c.Template != nil || len(c.ConnectionSet) > 0 {
		return "connection_template and connection_set are not supported: the primary would answer all requests"
	}
	return ""
}

// Connections bounds the pool of the primary; 0 for the default.
func (c *Configuration) Connections() int {
	if s := c.ConnectionInfo.PoolSettings; s != nil && s.MaxConnections != nil {
		return *s.MaxConnections
	}
	return 0
}

// Unused names what is kept and has no effect.
func (c *Configuration) Unused() []metadata.UnusedKey {
	if c.ExtensionsSchema == "" {
		return nil
	}
	return []metadata.UnusedKey{{Key: "extensions_schema", Why: "the engine installs no extensions"}}
}

// The change feeds.
const (
	// ChangeFeedNotify has statement triggers send notifications.
	ChangeFeedNotify = "notify"
	// ChangeFeedLog reads the log of the server.
	ChangeFeedLog = "log"
)

func (c *Configuration) checkChangeFeed() error {
	if c.ChangeFeed != "" && c.other {
		return apierror.At(apierror.New(apierror.NotSupported, "databases of this kind report no changes: subscriptions are polled"), "change_feed")
	}
	switch c.ChangeFeed {
	case "", ChangeFeedNotify, ChangeFeedLog:
		return nil
	}
	return apierror.At(apierror.Newf(apierror.ParseFailed, "Only expecting %q or %q", ChangeFeedNotify, ChangeFeedLog), "change_feed")
}

// Execution sets how statements are scheduled and planned; empty texts are "auto".
type Execution struct {
	// Share is whether short statements of different requests share round trips.
	Share string `json:"share,omitempty"`
	// Wait is whether transactions that write wait for each other.
	Wait string `json:"wait,omitempty"`
	// Plans is how the server plans prepared statements.
	Plans string `json:"plans,omitempty"`
}

// What the members of Execution may be. Their order is that of the constants they stand for.
var (
	policies = []string{"auto", "off", "always"}
	plans    = []string{"auto", "generic", "custom"}
)

// Check is called when the configuration is read.
func (e *Execution) Check() error {
	for _, member := range []struct {
		key, value string
		known      []string
	}{{"share", e.Share, policies}, {"wait", e.Wait, policies}, {"plans", e.Plans, plans}} {
		if member.value != "" && !slices.Contains(member.known, member.value) {
			return apierror.At(apierror.Newf(apierror.ParseFailed, "Only expecting %s", strings.Join(member.known, " / ")), member.key)
		}
	}
	return nil
}

// settings are what it sets; texts are known, or empty for the first one.
func (e *Execution) settings() (schedule.Settings, wire.Plans) {
	if e == nil {
		return schedule.Settings{}, wire.PlansAuto
	}
	index := func(known []string, text string) uint8 { return uint8(max(0, slices.Index(known, text))) } //nolint:gosec // a small index
	return schedule.Settings{Share: schedule.Policy(index(policies, e.Share)), Wait: schedule.Policy(index(policies, e.Wait))},
		wire.Plans(index(plans, e.Plans))
}

// ConnectionInfo is one address and its options.
type ConnectionInfo struct {
	// DatabaseURL is a text, {"from_env": NAME}, {"connection_parameters": {...}} or
	// {"dynamic_from_file": PATH}, as given.
	DatabaseURL    json.RawMessage `json:"database_url" meta:"required"`
	IsolationLevel string          `json:"isolation_level" meta:"default=read-committed"`
	PoolSettings   *PoolSettings   `json:"pool_settings,omitempty"`
	// SerializationRetries is how often a transaction is done again that could not be
	// serialised with others; nil for the default of the kind.
	SerializationRetries *int            `json:"serialization_retries,omitempty"`
	SSLConfiguration     json.RawMessage `json:"ssl_configuration,omitempty"`
	// UsePreparedStatements is nil where nothing is set: they are used unless a pooler mixes sessions.
	UsePreparedStatements *bool `json:"use_prepared_statements,omitempty"`
}

// Check is called when the configuration is read.
func (c *ConnectionInfo) Check() error {
	switch c.IsolationLevel {
	case "read-committed", "repeatable-read", "serializable":
	default:
		return apierror.At(apierror.New(apierror.ParseFailed,
			"Only expecting read-committed / repeatable-read / serializable"), "isolation_level")
	}
	if n := c.SerializationRetries; n != nil && (*n < 0 || *n > maxSerializationRetries) {
		return apierror.At(apierror.Newf(apierror.ParseFailed,
			"Only expecting a value between 0 and %d", maxSerializationRetries), "serialization_retries")
	}
	if got := metadata.JSONType(c.DatabaseURL); got != "String" && got != "Object" {
		return apierror.At(apierror.Newf(apierror.ParseFailed, "parsing UrlConf failed, expected String, but encountered %s", got), "database_url")
	}
	return apierror.At(metadata.DecodeSetting(c.SSLConfiguration, &SSLConfiguration{}), "ssl_configuration")
}

// maxSerializationRetries bounds the time that a request can take by doing its work again.
const maxSerializationRetries = 100

// PoolSettings bound the pool of a source; nil fields take the server's defaults.
type PoolSettings struct {
	ConnectionLifetime  *int `json:"connection_lifetime,omitempty"` // s
	IdleTimeout         *int `json:"idle_timeout,omitempty"`        // s
	MaxConnections      *int `json:"max_connections,omitempty"`
	PoolTimeout         *int `json:"pool_timeout,omitempty"` // s
	Retries             *int `json:"retries,omitempty"`
	TotalMaxConnections *int `json:"total_max_connections,omitempty"`
}

// Check is called when the configuration is read.
func (s *PoolSettings) Check() error {
	for _, n := range []struct {
		key   string
		value *int
		least int
	}{
		{"connection_lifetime", s.ConnectionLifetime, 0},
		{"idle_timeout", s.IdleTimeout, 0},
		{"max_connections", s.MaxConnections, 1},
		{"pool_timeout", s.PoolTimeout, 0},
		{"retries", s.Retries, 0},
		{"total_max_connections", s.TotalMaxConnections, 1},
	} {
		if n.value != nil && *n.value < n.least {
			return apierror.At(apierror.Newf(apierror.ParseFailed, "Only expecting a value of at least %d", n.least), n.key)
		}
	}
	return nil
}

// sslModes are what sslmode may be.
var sslModes = []string{"disable", "allow", "prefer", "require", "verify-ca", "verify-full"}

// SSLConfiguration configures how a connection is secured. The certificates are in environment
// variables: {"from_env": NAME}.
type SSLConfiguration struct {
	Mode        string           `json:"sslmode" meta:"required"`
	RootCert    *FromEnvironment `json:"sslrootcert,omitempty"`
	Certificate *FromEnvironment `json:"sslcert,omitempty"`
	Key         *FromEnvironment `json:"sslkey,omitempty"`
	Password    json.RawMessage  `json:"sslpassword,omitempty"`
}

// FromEnvironment names an environment variable.
type FromEnvironment struct {
	Variable string `json:"from_env" meta:"required,nonempty"`
}

// Check is called when the configuration is read.
func (c *SSLConfiguration) Check() error {
	return apierror.At(checkMode(c.Mode), "sslmode")
}

// ConnectionMember is one of several databases that a connection template chooses from.
type ConnectionMember struct {
	Name           string         `json:"name" meta:"required,nonempty"`
	ConnectionInfo ConnectionInfo `json:"connection_info" meta:"required"`
}

// Check is called when the configuration is read.
func (c *Configuration) Check() error {
	if c.ReadReplicas != nil && len(c.ReadReplicas) == 0 {
		return apierror.At(apierror.New(apierror.ParseFailed, "parsing NonEmpty failed, unexpected empty list"), "read_replicas")
	}
	if err := c.checkChangeFeed(); err != nil {
		return err
	}
	if c.Session != nil && c.other {
		return apierror.At(apierror.New(apierror.NotSupported, "settings for sessions are supported on PostgreSQL only"), "session")
	}
	if c.ConnectionSet == nil {
		return nil
	}
	if len(c.ConnectionSet) == 0 {
		return apierror.At(apierror.New(apierror.ParseFailed, "connection set cannot be empty"), "connection_set")
	}
	seen := map[string]bool{}
	var repeated []string
	for _, m := range c.ConnectionSet {
		if seen[m.Name] && !slices.Contains(repeated, m.Name) {
			repeated = append(repeated, m.Name)
		}
		seen[m.Name] = true
	}
	if len(repeated) > 0 {
		return apierror.At(apierror.Newf(apierror.ParseFailed,
			`connection set members with duplicate names are not allowed: "%s"`, strings.Join(repeated, `", "`)), "connection_set")
	}
	return nil
}

func checkMode(mode string) error {
	if slices.Contains(sslModes, mode) {
		return nil
	}
	return apierror.Newf(apierror.ParseFailed, "expected one of %s, but found %s", strings.Join(sslModes, ", "), mode)
}

// connectionKeys are the keys of ConnectionInfo with those of its parts.
type connectionKeys struct {
	SSL *SSLConfiguration `json:"ssl_configuration"`
	connectionFields
}

type connectionFields ConnectionInfo

// Shape is what unknown keys are looked for in.
func (c *ConnectionInfo) Shape() any { return connectionKeys{} }
