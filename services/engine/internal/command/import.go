package command

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"

	"github.com/jackc/pgx/v5"

	"queryengine/pkg/config"
	"queryengine/services/engine/internal/importcatalog"
	"queryengine/services/engine/internal/remote"
)

// importOptions are the options of import.
type importOptions struct {
	from, to, vendor string
	dry, overwrite   bool
}

func importCommand() projectCommand {
	o := &importOptions{}
	return projectCommand{
		flags: func(f *flag.FlagSet) {
			f.StringVar(&o.from, "from", "", "metadata database of the other engine")
			f.StringVar(&o.to, "metadata-database-url", "", "our metadata database, for scheduled events (default: as the server's variables say)")
			f.StringVar(&o.vendor, "vendor-names", "", "map its names in the metadata; not needed by a server that has this setting itself")
			f.BoolVar(&o.overwrite, "overwrite", false, "replace metadata that the server has")
			f.BoolVar(&o.dry, "dry-run", false, "only say what would be taken")
		},
		run: func(ctx context.Context, p *workplace, _ []string) error {
			if o.from == "" {
				return errors.New("import needs --from, the address of the other engine's metadata database")
			}
			if o.to == "" {
				o.to = p.metadataDatabase()
			}
			return p.importCatalogue(ctx, o)
		},
	}
}

// metadataDatabase is the address of ours as the server finds it, "" when no variable sets it.
func (p *workplace) metadataDatabase() string {
	for _, s := range []*config.Spec{config.MetadataDatabaseURL.Spec(), config.DatabaseURL.Spec()} {
		if url, ok := p.Env(s.Env()); ok && url != "" {
			return url
		}
	}
	return ""
}

func (p *workplace) importCatalogue(ctx context.Context, o *importOptions) error {
	theirs, err := importcatalog.Open(ctx, o.from)
	if err != nil {
		return err
	}
	defer theirs.Close(context.WithoutCancel(ctx)) //nolint:errcheck // it was only read
	if err := p.server.Ping(ctx, p.Errs); err != nil {
		return err
	}
	if err := p.importMetadata(ctx, theirs, o); err != nil {
		return fmt.Errorf("metadata: %w", err)
	}
	state, err := p.server.State(ctx)
	if err != nil {
		return err
	}
	if err := p.importMigrations(ctx, theirs, state, o.dry); err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	if err := p.importScheduled(ctx, theirs, o); err != nil {
		return fmt.Errorf("scheduled events: %w", err)
	}
	if err := p.importEventLogs(ctx, theirs, state, o.dry); err != nil {
		return err
	}
	if theirs.Actions > 0 {
		p.print("left   %d calls of asynchronous actions: clients that wait for one have to ask again", theirs.Actions)
	}
	if o.dry {
		p.say("dry run: nothing was changed")
	}
	return nil
}

// importMetadata takes the document, unless the server has another one.
func (p *workplace) importMetadata(ctx context.Context, theirs *importcatalog.Catalogue, o *importOptions) error {
	used, err := p.inUse(ctx)
	if err != nil {
		return err
	}
	args := map[string]any{"allow_inconsistent_metadata": true, "dry_run": true, "metadata": theirs.Metadata}
	if o.vendor != "" {
		args["vendor_names"] = o.vendor
	}
	answer, err := p.server.Metadata(ctx, "replace_metadata", 2, args)
	if err != nil {
		return explainRefusal(err)
	}
	var report struct{ Changes []json.RawMessage }
	if err := json.Unmarshal(answer, &report); err != nil {
		return fmt.Errorf("answer of the server: %w", err)
	}
	switch {
	case len(report.Changes) == 0:
		p.print("left   metadata of version %d: the server has the same", theirs.Version)
		return nil
	case used && !o.overwrite:
		p.print("left   metadata of version %d: the server has its own, with %d differences; --overwrite replaces it", theirs.Version, len(report.Changes))
		return nil
	case !o.dry:
		args["dry_run"] = false
		if answer, err = p.server.Metadata(ctx, "replace_metadata", 2, args); err != nil {
			return explainRefusal(err)
		}
	}
	p.print("took   metadata of version %d, with %d changes", theirs.Version, len(report.Changes))
	return p.warn(answer)
}

// inUse reports whether the server's metadata has anything that import would lose: more than sources
// without tables.
func (p *workplace) inUse(ctx context.Context) (bool, error) {
	raw, err := p.server.Metadata(ctx, "export_metadata", 0, struct{}{})
	if err != nil {
		return false, err
	}
	var d map[string]json.RawMessage
	if err := json.Unmarshal(raw, &d); err != nil {
		return false, fmt.Errorf("answer of the server: %w", err)
	}
	var sources []struct{ Tables, Functions []json.RawMessage }
	if d["sources"] != nil {
		if err := json.Unmarshal(d["sources"], &sources); err != nil {
			return false, fmt.Errorf("answer of the server: %w", err)
		}
	}
	for _, s := range sources {
		if len(s.Tables)+len(s.Functions) > 0 {
			return true, nil
		}
	}
	delete(d, "sources")
	delete(d, "version")
	return len(d) > 0, nil
}

func (p *workplace) importMigrations(ctx context.Context, theirs *importcatalog.Catalogue, state *remote.State, dry bool) error {
	added := 0
	merge := func() error {
		added = theirs.Merge(state.Migrations)
		return nil
	}
	if dry {
		_ = merge() // never fails
	} else if err := p.server.Update(ctx, state, merge); err != nil {
		return err
	}
	all := 0
	for _, versions := range theirs.Migrations {
		all += len(versions)
	}
	p.print("took   %d of %d applied migrations", added, all)
	return nil
}

func (p *workplace) importScheduled(ctx context.Context, theirs *importcatalog.Catalogue, o *importOptions) error {
	if o.to == "" {
		p.print("left   scheduled events: --metadata-database-url has to say where ours are")
		return nil
	}
	ours, err := pgx.Connect(ctx, o.to)
	if err != nil {
		return fmt.Errorf("our metadata database: %w", err)
	}
	defer ours.Close(context.WithoutCancel(ctx)) //nolint:errcheck // what counts is committed
	list, err := theirs.CopyEvents(ctx, ours, o.dry)
	if err != nil {
		return err
	}
	for _, t := range list {
		p.print("took   %d of %d %s", t.Taken, t.Found, t.What)
	}
	return nil
}

// importEventLogs takes the event log of each source, which lies in the source itself.
func (p *workplace) importEventLogs(ctx context.Context, theirs *importcatalog.Catalogue, state *remote.State, dry bool) error {
	names, err := theirs.Sources()
	if err != nil {
		return err
	}
	kinds, err := p.kinds(ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, known := kinds[name]; !known {
			p.print("left   event log of source %s: the server doesn't have that source", name)
			continue
		}
		if err := p.importEventLog(ctx, name, state, dry); err != nil {
			return fmt.Errorf("event log of source %s: %w", name, err)
		}
	}
	return nil
}

func (p *workplace) importEventLog(ctx context.Context, source string, state *remote.State, dry bool) error {
	rows, err := p.server.Rows(ctx, source, importcatalog.EventLogFound)
	if err != nil {
		return err
	}
	theirs, ours, now, triggers := rows[0][0] == "t", rows[0][1] == "t", rows[0][2], rows[0][3]
	switch {
	case !theirs:
		p.print("left   event log of source %s: it has none of the other engine", source)
		return nil
	case !ours:
		p.print("left   event log of source %s: there is none of ours yet, which comes with the metadata", source)
		return nil
	}
	until := state.Imported[source]
	if until == "" {
		until = now
	}
	sql := importcatalog.EventLogCount(until)
	if !dry {
		sql = importcatalog.EventLogCopy(until)
		// First: a run that fails is followed by one that takes the same.
		if err := p.server.Update(ctx, state, func() error {
			state.Imported[source] = until
			return nil
		}); err != nil {
			return err
		}
	}
	if rows, err = p.server.Rows(ctx, source, sql); err != nil {
		return err
	}
	p.print("took   %s of %s events of source %s", rows[0][1], rows[0][0], source)
	if triggers != "0" {
		p.print("left   %s triggers notify_hdb_* of source %s, which still write the other engine's event log: drop them when it is gone", triggers, source)
	}
	return nil
}
