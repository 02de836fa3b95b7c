package config

import (
	"net"
	"net/url"
	"strconv"
	"time"
)

// Databases.
var (
	DatabaseURL = define(Spec{
		Flag: "database-url", Secret: true, Values: "PostgreSQL URL", Group: GroupDatabases, Services: all()[1:],
		Help: "becomes the source default when metadata has no source yet; also the metadata database when no other is given",
	}, parseSecret)
	MetadataDatabaseURL = define(Spec{
		Flag: "metadata-database-url", Secret: true, Values: "PostgreSQL URL", Group: GroupDatabases, Services: planners(),
		Help: "database that holds the metadata",
	}, parseSecret)
	Connections = define(Spec{
		Flag: "connections", Short: "c", Variable: "PG_CONNECTIONS", Default: "50", Values: number, Group: GroupDatabases, Services: queriers(),
		Help: "connections of each process to a source whose configuration sets no number",
	}, parsePositive)
	IdleTimeout = define(Spec{
		Flag: "timeout", Variable: "PG_TIMEOUT", Default: "180", Values: seconds, Group: GroupDatabases, Services: queriers(),
		Help: "an idle connection is closed after this time",
	}, parseDuration(time.Second))
	ConnectionLifetime = define(Spec{
		Flag: "conn-lifetime", Variable: "PG_CONN_LIFETIME", Default: "600", Values: seconds + "; 0 is without end", Group: GroupDatabases, Services: queriers(),
		Help: "a connection is closed after this time",
	}, parseDuration(time.Second))
	PoolTimeout = define(Spec{
		Flag: "pool-timeout", Variable: "PG_POOL_TIMEOUT", Default: "10", Values: seconds + "; 0 is without end", Group: GroupDatabases, Services: queriers(),
		Help: "how long a request waits for a free connection",
	}, parseDuration(time.Second))
	UsePreparedStatements = define(Spec{
		Flag: "use-prepared-statements", Default: "true", Values: boolean, Group: GroupDatabases, Services: queriers(),
		Help: "prepare statements of the source default, when it is added; off for poolers that mix sessions, which are noticed unless this is set",
	}, parseBool)
	TxIsolation = defineChoice(Spec{
		Flag: "tx-iso", Short: "i", Variable: "TX_ISOLATION", Default: "read-committed", Values: "read-committed, repeatable-read or serializable", Group: GroupDatabases, Services: queriers(),
		Help: "isolation level of the source default when it is added",
	},
		"Only expecting read-committed / repeatable-read / serializable", "read-committed", "repeatable-read", "serializable")
)

// The parts of a database URL, for configurations without a URL.
var (
	databaseHost = define(Spec{
		Flag: "host", FlagOnly: true, Group: GroupDatabases, Services: queriers(),
		Help: "host of the database, instead of database-url, together with user and dbname",
	}, parseNonEmpty)
	databasePort = define(Spec{
		Flag: "port", Short: "p", FlagOnly: true, Default: "5432", Values: number, Group: GroupDatabases, Services: queriers(),
		Help: "port of the database",
	}, parsePort)
	databaseUser = define(Spec{
		Flag: "user", Short: "u", FlagOnly: true, Group: GroupDatabases, Services: queriers(),
		Help: "user of the database",
	}, parseNonEmpty)
	databasePassword = define(Spec{
		Flag: "password", FlagOnly: true, Secret: true, Group: GroupDatabases, Services: queriers(),
		Help: "password of the database; other programs of this machine may see it",
	}, parseSecret)
	databaseName = define(Spec{
		Flag: "dbname", Short: "d", FlagOnly: true, Group: GroupDatabases, Services: queriers(),
		Help: "name of the database",
	}, parseNonEmpty)
	databaseOptions = define(Spec{
		Flag: "pg-connection-options", Short: "o", FlagOnly: true, Group: GroupDatabases, Services: queriers(),
		Help: "options for the database, as in -c name=value",
	}, parseText)
)

// joinDatabase makes database-url of its parts. The URL wins where both are given.
func (v *Values) joinDatabase() error {
	host, user, name := databaseHost.IsSet(v), databaseUser.IsSet(v), databaseName.IsSet(v)
	if DatabaseURL.IsSet(v) || !host && !user && !name {
		return nil
	}
	if !host || !user || !name {
		return &UsageError{"options --host, --user and --dbname belong together"}
	}
	u := url.URL{
		Scheme: "postgresql",
		User:   url.User(databaseUser.Get(v)),
		Host:   net.JoinHostPort(databaseHost.Get(v), strconv.Itoa(databasePort.Get(v))),
		Path:   "/" + databaseName.Get(v),
	}
	if databasePassword.IsSet(v) {
		u.User = url.UserPassword(databaseUser.Get(v), databasePassword.Get(v).Reveal())
	}
	if options := databaseOptions.Get(v); options != "" {
		u.RawQuery = url.Values{"options": {options}}.Encode()
	}
	v.set[DatabaseURL.spec.Flag] = u.String()
	return nil
}

// MetadataURL is the address of the database that holds the metadata and the scheduled events:
// that of its own setting, else that of the default source. It is empty when neither is set.
func MetadataURL(v *Values) string {
	if url := MetadataDatabaseURL.Get(v).Reveal(); url != "" {
		return url
	}
	return DatabaseURL.Get(v).Reveal()
}
