package command

import (
	"context"
	"errors"
	"fmt"
	"os"

	"queryengine/pkg/config"
	"queryengine/services/engine/sample"
)

var errDatabaseEnded = errors.New("PostgreSQL has ended; its log is in " + postgresDir + " in the data directory")

// dev is serve with the sample, in the database that the settings name, else in a private
// one. With a file of SQLite there is no sample: the tables of the file are tracked.
func (sh *Shell) dev(ctx context.Context, args []string) (err error) {
	o, args, err := takeDevOptions(args)
	if err != nil {
		return err
	}
	v, err := sh.settings("dev", args, sh.devEnv)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(config.DataDir.Get(v), 0o700); err != nil {
		return fmt.Errorf("data directory: %w", err)
	}
	if config.DatabaseURL.Get(v) != "" {
		return sh.runDev(ctx, v, o)
	}
	server, err := sh.startPostgres(ctx, v)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stopPostgres(ctx, server)) }()
	if err := sh.usePostgres(v, server); err != nil {
		return err
	}
	if v, err = sh.settings("dev", args, sh.devEnv); err != nil {
		return err
	}
	// Without its database nothing works: its end is the end of the program.
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		<-server.Done()
		cancel(errDatabaseEnded)
	}()
	err = sh.runDev(ctx, v, o)
	if errors.Is(context.Cause(ctx), errDatabaseEnded) {
		err = errors.Join(err, errDatabaseEnded)
	}
	return err
}

func (sh *Shell) runDev(ctx context.Context, v *config.Values, o devOptions) error {
	if err := checkPort(ctx, v); err != nil {
		return err
	}
	if o.file == "" {
		may := sample.Empty
		if o.sample {
			may = sample.Room
		}
		if err := sh.loadSample(ctx, v, may); err != nil {
			return err
		}
	}
	return sh.runServices(ctx, v, func(ctx context.Context) error {
		query, hint, err := sh.content(ctx, v, o)
		if err != nil {
			return err
		}
		if err := selfClient(v).await(ctx, "/readyz"); err != nil {
			return err
		}
		if !selfClient(v).answers(ctx, query) {
			query = "{ __typename }"
		}
		sh.welcome(v, query, hint)
		return nil
	})
}

// content sees to it that there is something to query, and gives a first query, and a hint at what isn't there.
func (sh *Shell) content(ctx context.Context, v *config.Values, o devOptions) (query, hint string, err error) {
	if o.file != "" {
		query, err = sh.useSQLite(ctx, v, o.file)
		return query, "", err
	}
	if err := sh.applySample(ctx, v); err != nil {
		return "", "", err
	}
	return sh.useTables(ctx, v, o.trackAll)
}

// devEnv is the environment with other defaults: only this machine may connect, as there
// need not be a secret, only what needs attention is logged, and the console is on.
func (sh *Shell) devEnv(name string) (string, bool) {
	if value, ok := sh.Env(name); ok {
		return value, true
	}
	switch name {
	case config.ServerHost.Spec().Env():
		return "127.0.0.1", true
	case config.LogLevel.Spec().Env():
		return "warn", true
	case config.EnableConsole.Spec().Env():
		return "true", true
	}
	return "", false
}
