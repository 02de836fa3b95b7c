package command

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"slices"
	"strings"

	"queryengine/pkg/catalog"
	"queryengine/services/engine/internal/remote"
)

const trackUsage = `Usage: engine track --all|TABLE... [OPTION...]

Has a running engine track tables of a source, so that the API has them. A TABLE is a name, or SCHEMA.NAME.

  engine track --all --relationships                    every table, with relationships by foreign keys
  engine track --all --schema billing --schema app      every table of these schemas
  engine track customers billing.invoices               these two
`

// names is an option that may be given several times.
type names []string

func (n *names) String() string { return strings.Join(*n, ",") }

func (n *names) Set(value string) error {
	for name := range strings.SplitSeq(value, ",") {
		*n = append(*n, strings.TrimSpace(name))
	}
	return nil
}

// trackOptions are the options of track.
type trackOptions struct {
	all, relate bool
	source      string
	schemas     names
}

func trackCommand() projectCommand {
	o := &trackOptions{}
	return projectCommand{
		usage: trackUsage,
		flags: func(f *flag.FlagSet) {
			f.BoolVar(&o.all, "all", false, "every table and view of the source that isn't tracked yet")
			f.Var(&o.schemas, "schema", "with --all, those of this schema only; may be given several times")
			f.BoolVar(&o.relate, "relationships", false, "also create relationships between tracked tables, by foreign keys")
			f.StringVar(&o.source, "source", "default", "the source")
		},
		run: func(ctx context.Context, p *workplace, args []string) error { return p.track(ctx, o, args) },
	}
}

func (p *workplace) track(ctx context.Context, o *trackOptions, args []string) error {
	if o.all == (len(args) > 0) || !o.all && len(o.schemas) > 0 {
		p.say("engine: track needs the names of tables, or --all, which --schema goes with (see engine track --help)")
		return errUsage
	}
	raw, err := p.server.Metadata(ctx, "export_metadata", 0, struct{}{})
	if err != nil {
		return err
	}
	var document struct{ Sources []source }
	if err := json.Unmarshal(raw, &document); err != nil {
		return err
	}
	i := slices.IndexFunc(document.Sources, func(s source) bool { return s.Name == o.source })
	if i < 0 {
		return fmt.Errorf("the metadata has no source %q", o.source)
	}
	t := tracker{source: o.source, prefix: remote.Prefix(document.Sources[i].Kind), send: func(ctx context.Context, name string, args any) (json.RawMessage, error) {
		return p.server.Metadata(ctx, name, 0, args)
	}}
	var list, related []catalog.Name
	if o.all {
		if list, err = t.tables(ctx); err != nil {
			return err
		}
		for _, schema := range o.schemas {
			if !slices.ContainsFunc(list, func(n catalog.Name) bool { return n.Schema == schema }) {
				return fmt.Errorf("source %q has no tables in a schema %q", o.source, schema)
			}
		}
		if len(o.schemas) > 0 {
			list = slices.DeleteFunc(list, func(n catalog.Name) bool { return !slices.Contains(o.schemas, n.Schema) })
			related = list
		}
		tracked, _ := trackedTables(document.Sources, o.source)
		list = without(list, tracked)
	} else {
		for _, text := range args {
			list = append(list, nameOf(text))
		}
		related = list
	}
	return p.trackTables(ctx, t, o, list, related)
}

// trackTables tracks a list, and relates what is to be related.
func (p *workplace) trackTables(ctx context.Context, t tracker, o *trackOptions, list, related []catalog.Name) error {
	tracked, left, err := t.track(ctx, list)
	if err != nil {
		return err
	}
	text := "tracked " + count(tracked, "table")
	missing := len(left)
	if o.relate {
		made, unnamed, err := t.relate(ctx, related)
		if err != nil {
			return err
		}
		text += ", created " + count(made, "relationship")
		left = append(left, unnamed...)
	}
	for _, line := range left {
		p.say("%s", line)
	}
	p.print("%s", text)
	if !o.all && missing > 0 {
		return fmt.Errorf("%d of %d tables can't be tracked", missing, len(list))
	}
	return nil
}

// nameOf reads the name of a table on a command line.
func nameOf(text string) catalog.Name {
	if schema, name, ok := strings.Cut(text, "."); ok {
		return catalog.Name{Schema: schema, Name: name}
	}
	return catalog.Name{Name: text}
}

// count is a number of things.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
