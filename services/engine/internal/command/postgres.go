package command

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"

	"queryengine/pkg/config"
	"queryengine/pkg/localpg"
)

// Databases of the private server.
const (
	sampleDatabase   = "music"
	metadataDatabase = "engine_metadata"
)

// stopLimit bounds the shutdown of the private server.
const stopLimit = 30 * time.Second

// startPostgres starts the private server, and makes its databases on the first start.
func (sh *Shell) startPostgres(ctx context.Context, v *config.Values) (*localpg.Server, error) {
	say := func(what string) { fmt.Fprintln(sh.Out, what) }
	if err := localpg.Ensure(ctx, say); err != nil {
		return nil, err
	}
	server, err := localpg.Start(ctx, localpg.Config{Dir: filepath.Join(config.DataDir.Get(v), postgresDir), Durable: true})
	if err != nil {
		return nil, err
	}
	for _, name := range []string{sampleDatabase, metadataDatabase} {
		if err := ensureDatabase(ctx, server.URL("postgres"), name); err != nil {
			return nil, errors.Join(err, stopPostgres(ctx, server))
		}
	}
	return server, nil
}

// usePostgres puts the addresses of the private server's databases into the environment:
// the settings are read from there, and so is the address that the sample's source names.
func (sh *Shell) usePostgres(v *config.Values, server *localpg.Server) error {
	if err := sh.Setenv(config.DatabaseURL.Spec().Env(), server.URL(sampleDatabase)); err != nil {
		return err
	}
	if config.MetadataDatabaseURL.Get(v) != "" {
		return nil
	}
	return sh.Setenv(config.MetadataDatabaseURL.Spec().Env(), server.URL(metadataDatabase))
}

func stopPostgres(ctx context.Context, server *localpg.Server) error {
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
	defer cancel()
	return server.Stop(stop)
}

func ensureDatabase(ctx context.Context, serverURL, name string) error {
	conn, err := pgx.Connect(ctx, serverURL)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	var exists bool
	err = conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)`, name).Scan(&exists)
	if err != nil || exists {
		return err
	}
	_, err = conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize())
	return err
}
