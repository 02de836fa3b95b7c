package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"queryengine/pkg/catalog"
	"queryengine/pkg/config"
)

// sampleTable is one of the sample's.
var sampleTable = catalog.Name{Schema: "public", Name: "albums"}

// defaultAddress is the server that commands use without --endpoint.
const defaultAddress = "http://127.0.0.1:8080"

var errDatabaseEnded = errors.New("PostgreSQL has ended; its log is in " + postgresDir + " in the data directory")

// dev runs serve on a private database with the sample. It loads the sample into the database that the settings name only with
// --sample. With a file of SQLite it tracks the tables of the file, and loads no sample.
func (sh *Shell) dev(ctx context.Context, args []string) (err error) {
	o, args, err := sh.takeDevOptions(args)
	if err != nil {
		return err
	}
	v, err := sh.settings("dev", args, sh.devEnv)
	if err != nil {
		return err
	}
	if hasEmptyURL(args) {
		return config.DatabaseURL.Spec().Wrong(errEmptyURL)
	}
	if err := checkPort(ctx, v); err != nil {
		return err
	}
	if err := os.MkdirAll(config.DataDir.Get(v), 0o700); err != nil {
		return config.DataDir.Spec().Wrong(err)
	}
	if config.DatabaseURL.Get(v) != "" {
		return sh.runDev(ctx, v, o)
	}
	server, err := sh.startPostgres(ctx, v)
	if err != nil {
		return unlessStopped(ctx, dataDirFault(err))
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
	o.sample = true
	err = sh.runDev(ctx, v, o)
	if errors.Is(context.Cause(ctx), errDatabaseEnded) {
		err = errors.Join(err, errDatabaseEnded)
	}
	return err
}

// errEmptyURL is an address of a database that a command line has as "$VARIABLE", where the variable isn't set.
var errEmptyURL = errors.New("empty string not allowed; leave the option out for a PostgreSQL server of its own")

// hasEmptyURL reports whether arguments name a database by an empty text. The driver would connect to the default server of this
// machine, and the sample would be loaded there.
func hasEmptyURL(args []string) bool {
	option := "--" + config.DatabaseURL.Spec().Flag
	for i, a := range args {
		if a == option+"=" || a == option && i+1 < len(args) && args[i+1] == "" {
			return true
		}
	}
	return false
}

func (sh *Shell) runDev(ctx context.Context, v *config.Values, o *devOptions) error {
	if o.sample && o.file == "" {
		if err := sh.loadSample(ctx, v); err != nil {
			return unlessStopped(ctx, err)
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
			query = nothing
		}
		sh.welcome(v, query, hint)
		return nil
	})
}

// unlessStopped is the error of a step of the start, nil when the user has stopped the program meanwhile.
func unlessStopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// content fills the metadata. It returns a first query, and a hint at tables that aren't tracked.
func (sh *Shell) content(ctx context.Context, v *config.Values, o *devOptions) (query, hint string, err error) {
	if o.file != "" {
		query, err = sh.useSQLite(ctx, v, o.file)
		return query, "", err
	}
	if o.sample {
		if err := sh.applySample(ctx, v); err != nil {
			return "", "", err
		}
	}
	return sh.useTables(ctx, v, o.trackAll)
}

// useTables tracks all tables of the database when trackAll is set. It returns a first query on the tracked tables, and a hint that
// counts the others.
func (sh *Shell) useTables(ctx context.Context, v *config.Values, trackAll bool) (query, hint string, err error) {
	c := selfClient(v)
	if err := c.await(ctx, "/healthz"); err != nil {
		return "", "", err
	}
	sources, err := c.sources(ctx)
	if err != nil {
		return "", "", err
	}
	tracked, ok := trackedTables(sources, sampleSource)
	if !ok {
		return nothing, "", nil
	}
	t := c.tracker(sampleSource, "pg")
	all, err := t.tables(ctx)
	if err != nil {
		return nothing, "", nil //nolint:nilerr // the start says what is wrong with a source
	}
	if untracked := without(all, tracked); trackAll {
		if err := sh.trackAll(ctx, t, untracked); err != nil {
			return "", "", err
		}
		if sources, err = c.sources(ctx); err != nil {
			return "", "", err
		}
		tracked, _ = trackedTables(sources, sampleSource)
	} else if len(untracked) > 0 {
		hint = sh.hint(v, len(all), len(untracked))
	}
	tracked = slices.DeleteFunc(tracked, func(n catalog.Name) bool { return !slices.Contains(all, n) }) // what was dropped
	switch {
	case len(all) == 0:
		return nothing, "The database has no tables yet. Start with " + sampleOption + " to fill it with a sample.\n\n", nil
	case len(tracked) == 0:
		return nothing, hint, nil
	case slices.Contains(tracked, sampleTable):
		return sampleQuery, hint, nil
	}
	return t.firstQuery(ctx, tracked[0], sampleTable.Schema), hint, nil
}

// trackAll tracks tables, relates all that are tracked, and prints what it leaves out.
func (sh *Shell) trackAll(ctx context.Context, t tracker, untracked []catalog.Name) error {
	_, left, err := t.track(ctx, untracked)
	if err != nil {
		return fmt.Errorf("tracking all tables: %w", err)
	}
	_, unnamed, err := t.relate(ctx, nil)
	if err != nil {
		return fmt.Errorf("creating relationships: %w", err)
	}
	for _, line := range append(left, unnamed...) {
		fmt.Fprintln(sh.Out, line)
	}
	return nil
}

// hint says which tables the API doesn't have, and how to change that.
func (sh *Shell) hint(v *config.Values, all, untracked int) string {
	text := fmt.Sprintf("The database has %s, none of them tracked, so the API is empty. ", count(all, "table"))
	switch {
	case untracked == all:
	case untracked == 1:
		text = fmt.Sprintf("1 of the %d tables of the database isn't tracked, so the API doesn't have it. ", all)
	default:
		text = fmt.Sprintf("%d of the %d tables of the database aren't tracked, so the API doesn't have them. ", untracked, all)
	}
	command := "engine track --all --relationships"
	if at := address(v); at != defaultAddress {
		command += " --endpoint " + at
	}
	if config.EnableConsole.Get(v) {
		return text + "Track them at " + address(v) + "/console, or with:\n\n  " + command + "\n\n"
	}
	return text + "Track them with:\n\n  " + command + "\n\n"
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
