package secret

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"queryengine/pkg/bus"
)

// Names of the secrets that Init keeps, besides nats-<user>.
const (
	AdminSecret      = "admin-secret"
	MetricsSecret    = "metrics-secret" // of /v1/metrics
	MetadataKey      = "metadata-key"
	PostgresPassword = "postgres-password" // of the superuser, which no service is
	EnginePassword   = "engine-password"   // of the role that services connect as
)

// keptIn is the directory of all secrets; the others hold what one container needs.
const keptIn = "all"

// Hosts are the names under which the services find others.
type Hosts struct{ NATS, Postgres string }

// DefaultHosts are the hosts of docker-compose.yml.
var DefaultHosts = Hosts{NATS: "nats:4222", Postgres: "postgres:5432/engine"}

// path is where a secret is kept.
func path(dir, name string) string { return filepath.Join(dir, keptIn, name) }

// Show is a secret that Init has made.
func Show(dir, name string) (string, error) {
	if name != filepath.Base(name) {
		return "", fmt.Errorf("there is no secret %q", name)
	}
	text, err := read(path(dir, name))
	if errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("there is no secret %q", name)
	}
	return text, err
}

// Init makes the secrets of an installation that are not there yet, in dir/all, and gives each
// container a directory with the files that it needs, dir/<service>, dir/nats and dir/postgres.
// These may be volumes of their own, which only that container mounts; so their files are
// readable by whatever user it runs as. Doing it again changes nothing. An admin secret that is
// given is used instead of the one that is kept.
func Init(dir, adminSecret string, hosts Hosts) error {
	kept := map[string]string{}
	names := []string{AdminSecret, MetricsSecret, MetadataKey, PostgresPassword, EnginePassword}
	for _, user := range bus.AllUsers() {
		names = append(names, natsSecret(user))
	}
	for _, name := range names {
		var err error
		if kept[name], err = Kept(path(dir, name)); err != nil {
			return err
		}
	}
	if adminSecret != "" {
		kept[AdminSecret] = adminSecret
		if err := write(path(dir, AdminSecret), adminSecret, 0o600, os.Rename); err != nil {
			return err
		}
	}
	for file, text := range files(kept, hosts) {
		target := filepath.Join(dir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		if err := write(target, text, 0o444, os.Rename); err != nil {
			return err
		}
	}
	return nil
}

// DatabaseURL is where the services find their database.
func DatabaseURL(dir string, hosts Hosts) (string, error) {
	password, err := Show(dir, EnginePassword)
	return databaseURL(password, hosts), err
}

func databaseURL(password string, hosts Hosts) string {
	return "postgres://" + url.UserPassword("engine", password).String() + "@" + hosts.Postgres
}

func natsSecret(user string) string { return "nats-" + user }

// files are what containers get, by their paths.
func files(kept map[string]string, hosts Hosts) map[string]string {
	database := databaseURL(kept[EnginePassword], hosts)
	out := map[string]string{
		"gateway/admin-secret":     kept[AdminSecret],
		"gateway/metrics-secret":   kept[MetricsSecret],
		"sample/admin-secret":      kept[AdminSecret], // engine sample tracks what it has loaded
		"sample/database-url":      database,
		"postgres/password":        kept[PostgresPassword],
		"postgres/engine-password": kept[EnginePassword],
	}
	for _, service := range []string{bus.ServiceGateway, bus.ServiceMetadata, bus.ServiceQueryExecutor, bus.ServiceEventDelivery, bus.ServiceScheduler} {
		out[service+"/nats-url"] = "nats://" + url.UserPassword(service, kept[natsSecret(service)]).String() + "@" + hosts.NATS
		out[service+"/metadata-key"] = kept[MetadataKey]
		if service != bus.ServiceGateway {
			out[service+"/database-url"] = database
		}
	}
	var passwords strings.Builder
	for _, user := range bus.AllUsers() {
		fmt.Fprintf(&passwords, "%s: %q\n", bus.PasswordVariable(user), kept[natsSecret(user)])
	}
	// NATS looks for a variable in the file that uses it, and in its environment.
	out["nats/accounts.conf"] = passwords.String() + "\n" + bus.AccountsConf()
	return out
}
