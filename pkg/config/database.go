package config

import (
	"net"
	"net/url"
	"strconv"
)

// The parts of a database URL, for those who have no URL.
var (
	databaseHost = define(Spec{
		Flag: "host", FlagOnly: true, Group: GroupDatabases, Services: queriers,
		Help: "host of the database, in place of database-url, together with user and dbname",
	}, parseNonEmpty)
	databasePort = define(Spec{
		Flag: "port", Short: "p", FlagOnly: true, Default: "5432", Values: number, Group: GroupDatabases, Services: queriers,
		Help: "port of the database",
	}, parsePort)
	databaseUser = define(Spec{
		Flag: "user", Short: "u", FlagOnly: true, Group: GroupDatabases, Services: queriers,
		Help: "user of the database",
	}, parseNonEmpty)
	databasePassword = define(Spec{
		Flag: "password", FlagOnly: true, Secret: true, Group: GroupDatabases, Services: queriers,
		Help: "password of the database; other programs of this machine may see it",
	}, parseSecret)
	databaseName = define(Spec{
		Flag: "dbname", Short: "d", FlagOnly: true, Group: GroupDatabases, Services: queriers,
		Help: "name of the database",
	}, parseNonEmpty)
	databaseOptions = define(Spec{
		Flag: "pg-connection-options", Short: "o", FlagOnly: true, Group: GroupDatabases, Services: queriers,
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
