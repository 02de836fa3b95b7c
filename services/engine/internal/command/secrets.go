package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"queryengine/pkg/config"
	"queryengine/services/engine/internal/secret"
)

const secretsUsage = `Usage: engine secrets COMMAND

Commands:
  init DIR [PATH=UID...]  make the secrets of an installation that are not there yet, below DIR, with a directory
                          for each container; give the PATHs, directories of data, to users
  show DIR NAME           print one of them: admin-secret, metadata-key, nats-metadata-reader and so on
  check DIR               ask whether the database takes the password that is kept
  welcome DIR URL [DATA]  say how to make the first request, and stay; DATA is the data directory of engine sample
`

// secretsCommands are the words that secretsUsage explains.
var secretsCommands = []string{"init", "show", "check", "welcome"}

// databasePatience is how long a check of the database may take.
const databasePatience = 10 * time.Second

// secrets makes and shows the secrets of an installation, as docker-compose.yml uses it.
func (sh *Shell) secrets(ctx context.Context, args []string) error {
	if len(args) > 0 && isHelp(args[0]) {
		fmt.Fprint(sh.Out, secretsUsage)
		return nil
	}
	command, dir := "", ""
	if len(args) >= 2 {
		command, dir, args = args[0], args[1], args[2:]
	}
	switch {
	case command == "init":
		admin, _ := sh.Env(config.AdminSecret.Spec().Env())
		if err := secret.Init(dir, admin, secret.DefaultHosts); err != nil {
			return fmt.Errorf("secrets: %w", err)
		}
		return own(args)
	case command == "show" && len(args) == 1:
		text, err := secret.Show(dir, args[0])
		if err == nil {
			fmt.Fprintln(sh.Out, text)
		}
		return err
	case command == "check" && len(args) == 0:
		return checkDatabase(ctx, dir)
	case command == "welcome" && (len(args) == 1 || len(args) == 2):
		query := "{ __typename }"
		if len(args) == 2 {
			if _, err := os.Stat(filepath.Join(args[1], sampleMark)); err == nil {
				query = sampleQuery
			}
		}
		fmt.Fprintf(sh.Out, `Query Engine listens at %[1]s
The admin secret:   SECRET=$(docker compose run --rm -T setup secrets show %[2]s %[3]s)
A first query:      curl -s %[1]s/v1/graphql -H "X-Engine-Admin-Secret: $SECRET" -d '{"query": "%[4]s"}'
`, args[0], dir, secret.AdminSecret, query)
		<-ctx.Done() // docker compose up --wait takes the end of a container for a failure
		return nil
	}
	if len(args) > 0 && command == "" {
		command = args[0]
	}
	if command != "" && !slices.Contains(secretsCommands, command) {
		return sh.unknown("secrets", command, secretsCommands)
	}
	fmt.Fprint(sh.Errs, secretsUsage)
	return exit(exitUsage)
}

// own gives directories to users, as PATH=UID.
func own(list []string) error {
	for _, item := range list {
		path, user, _ := strings.Cut(item, "=")
		id, err := strconv.Atoi(user)
		if err != nil {
			return fmt.Errorf("%q is not a path and the number of a user", item)
		}
		if err := os.Chown(path, id, id); err != nil {
			return err
		}
	}
	return nil
}

// errOtherSecrets is what to do about a database that was made with other secrets.
var errOtherSecrets = errors.New("the database was made with other secrets than those that are kept now: bring the volume " +
	"\"secrets\" back that belongs to it, or remove both and all data with: docker compose down --volumes")

// checkDatabase connects as the services do.
func checkDatabase(ctx context.Context, dir string) error {
	address, err := secret.DatabaseURL(dir, secret.DefaultHosts)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, databasePatience)
	defer cancel()
	conn, err := pgx.Connect(ctx, address)
	var refused *pgconn.PgError
	switch {
	case errors.As(err, &refused) && (refused.Code == "28P01" || refused.Code == "28000"):
		return errOtherSecrets
	case err != nil:
		return fmt.Errorf("the database: %w", err)
	}
	return conn.Close(ctx)
}
