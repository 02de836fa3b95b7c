package postgres

import (
	"bytes"
	"encoding/json"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend/input"
	"queryengine/pkg/backend/postgres/schedule"
	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/jsonwalk"
	"queryengine/pkg/metadata"
)

// Env looks up an environment variable.
type Env = metadata.Env

// Defaults of a source's pool where metadata sets none.
const (
	defaultLifetime = 10 * time.Minute
	defaultRetries  = 1
	// defaultPoolTimeout is long for a burst, and short enough that requests to a server that
	// hangs don't pile up until they time out.
	defaultPoolTimeout = 10 * time.Second
)

// secretsPrefix is the variable with the directory in which files with addresses may be.
const secretsPrefix = "ENGINE_GRAPHQL_DYNAMIC_SECRETS_ALLOWED_PATH_PREFIX"

// Configure turns the configuration of a source into the options to open it with. It
// resolves everything once, so that a missing variable is found before a connection is made.
func Configure(c Configuration, env Env, applicationName string) (Options, error) {
	o := Options{ApplicationName: applicationName, ChangeFeed: c.ChangeFeed, Session: c.Session}
	var err error
	if o.Primary, err = endpoint(c.ConnectionInfo, c.Execution, env); err != nil {
		return o, err
	}
	for _, info := range c.ReadReplicas {
		replica, err := endpoint(info, c.Execution, env)
		if err != nil {
			return o, err
		}
		o.Replicas = append(o.Replicas, replica)
	}
	return o, nil
}

func endpoint(info ConnectionInfo, x *Execution, env Env) (schedule.Endpoint, error) {
	address, err := ResolveURL(info, env)
	if err != nil {
		return schedule.Endpoint{}, err
	}
	settings, plans := x.settings()
	e := schedule.Endpoint{Settings: settings, Endpoint: wire.Endpoint{
		Plans:          plans,
		URL:            func() (string, error) { return address, nil },
		MaxConnections: wire.DefaultMaxConnections,
		IdleTimeout:    wire.DefaultIdleTimeout,
		Lifetime:       defaultLifetime,
		PoolTimeout:    defaultPoolTimeout,
		Retries:        defaultRetries,
		Isolation:      wire.Isolation(info.IsolationLevel),
		Prepare:        prepareOf(info.UsePreparedStatements),
	}}
	setInt(&e.SerializationRetries, info.SerializationRetries)
	if file := dynamicFile(info); file != "" {
		e.URL = func() (string, error) { return readURL(file, env) }
	}
	if s := info.PoolSettings; s != nil {
		setInt(&e.MaxConnections, s.MaxConnections)
		setInt(&e.MaxConnections, s.TotalMaxConnections)
		setInt(&e.Retries, s.Retries)
		setSeconds(&e.IdleTimeout, s.IdleTimeout)
		setSeconds(&e.Lifetime, s.ConnectionLifetime)
		setSeconds(&e.PoolTimeout, s.PoolTimeout)
	}
	e.TLS, err = resolveTLS(info.SSLConfiguration, env)
	return e, err
}

// prepareOf is the metadata's setting of prepared statements.
func prepareOf(use *bool) wire.Prepare {
	switch {
	case use == nil:
		return wire.PrepareUnlessPooled
	case *use:
		return wire.PrepareAlways
	}
	return wire.PrepareNever
}

func setInt(to *int, from *int) {
	if from != nil {
		*to = *from
	}
}

func setSeconds(to *time.Duration, from *int) {
	if from != nil {
		*to = time.Duration(*from) * time.Second
	}
}

// databaseURL is the object form of database_url: one of its members.
type databaseURL struct {
	FromEnv              string                `json:"from_env"`
	DynamicFromFile      string                `json:"dynamic_from_file"`
	ConnectionParameters *connectionParameters `json:"connection_parameters"`
}

type connectionParameters struct {
	Host     *string      `json:"host"`
	Port     *json.Number `json:"port"`
	Username *string      `json:"username"`
	Password string       `json:"password"`
	Database *string      `json:"database"`
}

// ResolveURL is the address of a server, from whichever form metadata gives it in. The
// result holds a password, as a rule, and belongs into no log and no error.
func ResolveURL(info ConnectionInfo, env Env) (string, error) {
	raw := bytes.TrimSpace(info.DatabaseURL)
	if jsonwalk.KindOf(raw) == jsonwalk.String {
		template, err := input.Unquote(raw)
		if err != nil {
			return "", err
		}
		return metadata.Expand(template, env)
	}
	var u databaseURL
	if err := json.Unmarshal(raw, &u); err != nil {
		return "", malformedURL()
	}
	switch {
	case u.FromEnv != "":
		return metadata.Variable(u.FromEnv, env)
	case u.DynamicFromFile != "":
		return readURL(u.DynamicFromFile, env)
	case u.ConnectionParameters != nil:
		return u.ConnectionParameters.url()
	}
	return "", malformedURL()
}

// malformedURL omits the text: it may be a password.
func malformedURL() error {
	return apierror.New(apierror.ParseFailed, "database_url: expected a string, or an object with one of"+
		" from_env, connection_parameters or dynamic_from_file")
}

func (p *connectionParameters) url() (string, error) {
	for _, required := range []struct {
		key   string
		given bool
	}{
		{"host", p.Host != nil},
		{"port", p.Port != nil},
		{"username", p.Username != nil},
		{"database", p.Database != nil},
	} {
		if !required.given {
			return "", apierror.New(apierror.ParseFailed, `key "`+required.key+`" not found`)
		}
	}
	u := url.URL{
		Scheme: "postgresql",
		User:   url.User(*p.Username),
		Host:   net.JoinHostPort(*p.Host, p.Port.String()),
		Path:   "/" + *p.Database,
	}
	if p.Password != "" {
		u.User = url.UserPassword(*p.Username, p.Password)
	}
	return u.String(), nil
}

func dynamicFile(info ConnectionInfo) string {
	var u databaseURL
	if json.Unmarshal(info.DatabaseURL, &u) != nil {
		return "" // a text
	}
	return u.DynamicFromFile
}

// readURL reads an address from a file below the allowed prefix. Links are followed before
// the prefix is looked at.
func readURL(file string, env Env) (string, error) {
	prefix, set := env(secretsPrefix)
	if !set {
		return "", secretsError("be set and non-empty")
	}
	if prefix == "" {
		return "", secretsError("be non-empty")
	}
	path, err := filepath.Abs(file)
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return "", unreadable(err)
	}
	if !strings.HasPrefix(path, prefix) {
		return "", apierror.New(apierror.PermissionError, "The supplied dynamic_from_file file path, when canonicalized,"+
			" does not match the allowed prefix set by your administrator via the "+secretsPrefix+" environment variable")
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return "", unreadable(err)
	}
	return strings.TrimSpace(string(content)), nil
}

func secretsError(must string) error {
	return apierror.New(apierror.PermissionError,
		"dynamic_from_file file path requires that the "+secretsPrefix+" environment variable "+must)
}

func unreadable(err error) error {
	return apierror.New(apierror.PostgresError, "connection error").WithInternal(err.Error())
}

// textOrVariable is a text, or the object {"from_env": NAME}.
type textOrVariable struct {
	Text    string
	FromEnv string `json:"from_env"`
}

func (t *textOrVariable) UnmarshalJSON(b []byte) error {
	if jsonwalk.KindOf(b) == jsonwalk.String {
		return json.Unmarshal(b, &t.Text)
	}
	type object textOrVariable
	return json.Unmarshal(b, (*object)(t))
}

func (t *textOrVariable) resolve(env Env) (string, error) {
	switch {
	case t == nil:
		return "", nil
	case t.FromEnv != "":
		return metadata.Variable(t.FromEnv, env)
	}
	return t.Text, nil
}

// resolveTLS reads ssl_configuration; nil when there is none.
func resolveTLS(raw json.RawMessage, env Env) (*wire.TLS, error) {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || jsonwalk.KindOf(raw) == jsonwalk.Null {
		return nil, nil //nolint:nilnil // none given: the address decides
	}
	var c struct {
		Mode     string          `json:"sslmode"`
		RootCert *textOrVariable `json:"sslrootcert"`
		Cert     *textOrVariable `json:"sslcert"`
		Key      *textOrVariable `json:"sslkey"`
		Password *textOrVariable `json:"sslpassword"`
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, apierror.New(apierror.ParseFailed, "ssl_configuration is not understood")
	}
	t := &wire.TLS{Mode: c.Mode}
	for _, part := range []struct {
		to   *string
		from *textOrVariable
	}{{&t.RootCert, c.RootCert}, {&t.Cert, c.Cert}, {&t.Key, c.Key}, {&t.Password, c.Password}} {
		var err error
		if *part.to, err = part.from.resolve(env); err != nil {
			return nil, err
		}
	}
	if !slices.Contains(sslModes, t.Mode) {
		return nil, apierror.New(apierror.ParseFailed, "unrecognized sslmode: "+t.Mode)
	}
	return t, nil
}
