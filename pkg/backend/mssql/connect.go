package mssql

import (
	"database/sql"
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/microsoft/go-mssqldb/msdsn"

	"queryengine/pkg/apierror"
	"queryengine/pkg/metadata"
)

// isolationLevels are the isolation levels by their names in metadata.
var isolationLevels = map[string]sql.IsolationLevel{
	"read-uncommitted": sql.LevelReadUncommitted,
	"read-committed":   sql.LevelReadCommitted,
	"repeatable-read":  sql.LevelRepeatableRead,
	"serializable":     sql.LevelSerializable,
	"snapshot":         sql.LevelSnapshot,
}

// The defaults of a pool.
const (
	defaultConnections = 50
	defaultIdleTimeout = 5 * time.Second
	defaultPoolTimeout = 10 * time.Second
	// dialTimeout bounds how long a connection may take to open.
	dialTimeout = 15 * time.Second
)

// Endpoint is a server, and how connections to it are made.
type Endpoint struct {
	config msdsn.Config
	// Connections bounds open connections.
	Connections int
	// IdleTimeout is how long an idle connection is kept, 0 for not at all.
	IdleTimeout time.Duration
	// PoolTimeout is how long a statement waits for a connection.
	PoolTimeout time.Duration
	Isolation   sql.IsolationLevel
}

// Options are how the servers of a source are reached.
type Options struct {
	Primary  Endpoint
	Replicas []Endpoint
}

// Configure turns the configuration of a source into the options to open it with. application names the
// program to the server.
func Configure(c Configuration, env metadata.Env, application string) (Options, error) {
	primary, err := c.ConnectionInfo.endpoint(env, application)
	if err != nil {
		return Options{}, err
	}
	o := Options{Primary: primary}
	for i := range c.ReadReplicas {
		replica, err := c.ReadReplicas[i].endpoint(env, application)
		if err != nil {
			return Options{}, err
		}
		replica.config.ReadOnlyIntent = true
		o.Replicas = append(o.Replicas, replica)
	}
	return o, nil
}

func (c *ConnectionInfo) endpoint(env metadata.Env, application string) (Endpoint, error) {
	text, err := c.connectionString(env)
	if err != nil {
		return Endpoint{}, err
	}
	e := Endpoint{
		Connections: defaultConnections, IdleTimeout: defaultIdleTimeout, PoolTimeout: defaultPoolTimeout,
		Isolation: isolationLevels[c.IsolationLevel],
	}
	if e.config, err = parseConnection(text); err != nil {
		return e, err
	}
	if _, named := e.config.Parameters[msdsn.AppName]; !named && application != "" {
		e.config.AppName = application
	}
	if s := c.PoolSettings; s != nil {
		if n := s.connections(); n > 0 {
			e.Connections = n
		}
		if s.IdleTimeout != nil {
			e.IdleTimeout = time.Duration(*s.IdleTimeout) * time.Second
		}
		if s.PoolTimeout != nil {
			e.PoolTimeout = time.Duration(*s.PoolTimeout) * time.Second
		}
		if s.Enable != nil && !*s.Enable {
			e.IdleTimeout = 0
		}
	}
	return e, nil
}

// parseConnection reads a connection string: a URL (sqlserver://), or key=value pairs as ODBC and ADO
// write them. Its errors don't show the text, which holds a password.
func parseConnection(text string) (msdsn.Config, error) {
	text = strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(text, "mssql://"); ok {
		text = "sqlserver://" + rest
	}
	driver := ""
	if !strings.HasPrefix(text, "sqlserver://") {
		var err error
		if text, driver, err = splitPairs(strings.TrimPrefix(text, "odbc:")); err != nil {
			return msdsn.Config{}, err
		}
	}
	c, err := msdsn.Parse(text)
	if _, set := c.Parameters[msdsn.Encrypt]; err == nil && !set && encrypts(driver) {
		c, err = msdsn.Parse(encrypted(text))
	}
	var unread *fs.PathError
	switch {
	case errors.As(err, &unread):
		return msdsn.Config{}, badConnection("its certificate can't be read: " + unread.Err.Error())
	case err != nil:
		return msdsn.Config{}, badConnection("the driver does not understand it")
	case c.Parameters[msdsn.Server] == "":
		// The driver would take the local machine.
		return msdsn.Config{}, badConnection("it names no server")
	}
	if err := checkLogin(c.Parameters); err != nil {
		return msdsn.Config{}, err
	}
	if c.Encryption == msdsn.EncryptionOff && c.Parameters[msdsn.Certificate] == "" && c.Parameters[msdsn.ServerCertificate] == "" {
		// Only the login is encrypted, if the server can. Who could show another certificate could as well say that
		// it can't; ODBC doesn't check the certificate either, which servers make for themselves.
		c.TLSConfig.InsecureSkipVerify = true
	}
	// The driver would write statements and rows to the standard output of the process.
	c.LogFlags = 0
	// A statement has the time of its request; the driver would bound it by another one.
	c.ConnTimeout = 0
	if c.DialTimeout <= 0 {
		c.DialTimeout = dialTimeout
	}
	return c, nil
}

// encrypts reports whether a string without Encrypt asks for encryption: ODBC does since its driver 18, and so does a string
// that names no driver. One that names an older driver means what it meant there.
func encrypts(driver string) bool {
	version, named := strings.CutPrefix(strings.ToLower(driver), "odbc driver ")
	n, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(version, "for sql server")))
	return driver == "" || named && err == nil && n >= 18
}

// encrypted is a string of the driver that has no Encrypt, with one that asks for encryption.
func encrypted(text string) string {
	switch {
	case !strings.HasPrefix(text, "sqlserver://"):
		return text + ";" + msdsn.Encrypt + "=true"
	case strings.Contains(text, "?"):
		return text + "&" + msdsn.Encrypt + "=true"
	}
	return text + "?" + msdsn.Encrypt + "=true"
}

// checkLogin refuses the keys that ask for another sign-in than with a name and a password of SQL Server. The driver leaves
// them out, and would send the secret of another service as a password.
func checkLogin(parameters map[string]string) error {
	for _, key := range []string{"authentication", "fedauth", "authenticator", "trusted_connection", "integrated security"} {
		switch value := strings.ToLower(parameters[key]); value {
		case "", "sqlpassword", "no", "false":
		default:
			return badConnection(`"` + key + `" asks for a sign-in that isn't supported: only that with a name and a password of SQL Server is`)
		}
	}
	return nil
}

func badConnection(why string) error {
	return apierror.Newf(apierror.ParseFailed, "the connection string of the source can't be used: %s", why)
}

// splitPairs reads key=value pairs and writes them as the driver reads ADO strings. A value may be in
// braces, as in ODBC, or in quotes; a closing one in it is written twice. The name of an ODBC driver is
// given besides.
func splitPairs(text string) (pairs, driver string, err error) {
	var b strings.Builder
	for {
		text = strings.TrimLeft(text, "; \t\r\n")
		if text == "" {
			return b.String(), driver, nil
		}
		key, rest, ok := strings.Cut(text, "=")
		key = strings.ToLower(strings.TrimSpace(key))
		if !ok || key == "" || strings.ContainsAny(key, ";{}\"") {
			return "", "", badConnection("expected key=value pairs with semicolons between them, or a URL (sqlserver://)")
		}
		value := ""
		if value, text, ok = cutValue(strings.TrimLeft(rest, " \t")); !ok {
			return "", "", badConnection("a quoted value has no end")
		}
		if key == "driver" {
			driver = value
			continue
		}
		b.WriteString(key + `="` + strings.ReplaceAll(value, `"`, `""`) + `";`)
	}
}

// cutValue cuts a value off a text that begins with it.
func cutValue(text string) (value, rest string, ok bool) {
	closing := ""
	switch {
	case strings.HasPrefix(text, "{"):
		closing = "}"
	case strings.HasPrefix(text, `"`):
		closing = `"`
	default:
		value, rest, _ = strings.Cut(text, ";")
		return strings.TrimSpace(value), rest, true
	}
	var b strings.Builder
	text = text[1:]
	for {
		before, after, found := strings.Cut(text, closing)
		if !found {
			return "", "", false
		}
		b.WriteString(before)
		if !strings.HasPrefix(after, closing) {
			_, after, _ = strings.Cut(after, ";")
			return b.String(), after, true
		}
		b.WriteString(closing)
		text = after[1:]
	}
}
