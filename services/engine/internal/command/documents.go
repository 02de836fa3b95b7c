package command

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"queryengine/pkg/metadata"
)

const documentsUsage = `Usage: engine documents publish FILE --client-name NAME [OPTION...]
       engine documents diff FILE --client-name NAME [OPTION...]
       engine documents prune --client-name NAME --keep VERSION,... [OPTION...]

They keep the GraphQL documents of a client on the server, where it names them by their ids. FILE is what the tools of
GraphQL Code Generator (persisted-documents.json), Relay (persisted_queries.json) and Apollo (a manifest) write.
`

// documentOptions are the options of the commands on documents.
type documentOptions struct {
	client, version, collection string
	roles                       string
	replace, rest               bool
}

func (o *documentOptions) declare(f *flag.FlagSet) {
	f.StringVar(&o.client, "client-name", "", "name of the client")
	f.StringVar(&o.version, "client-version", "", "version of the client")
	f.StringVar(&o.collection, "collection", "", "query collection (default NAME@VERSION)")
}

// read reads the file, and completes the options.
func (o *documentOptions) read(p *workplace, args []string) ([]metadata.StoredQuery, json.RawMessage, error) {
	if len(args) != 1 {
		return nil, nil, errors.New("the file of the documents is missing")
	}
	if o.collection == "" {
		if o.client == "" {
			return nil, nil, errors.New("--client-name or --collection is missing")
		}
		if o.collection = o.client; o.version != "" {
			o.collection += "@" + o.version
		}
	}
	raw, err := os.ReadFile(p.config.Path(args[0]))
	if err != nil {
		return nil, nil, err
	}
	list, err := metadata.DocumentsOf(raw)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", args[0], err)
	}
	return list, raw, nil
}

func documentsPublish() projectCommand {
	o := &documentOptions{}
	var dry *bool
	return projectCommand{
		usage: documentsUsage,
		flags: func(f *flag.FlagSet) {
			o.declare(f)
			f.StringVar(&o.roles, "allow", "", "put the collection on the allow list: for these roles, separated by commas, or all")
			f.BoolVar(&o.replace, "replace", false, "remove documents that the file doesn't have, and give ids other texts")
			f.BoolVar(&o.rest, "rest", false, "offer the documents as REST endpoints, at /api/rest/COLLECTION/NAME")
			dry = f.Bool("dry-run", false, "only say whether it would be accepted")
		},
		run: func(ctx context.Context, p *workplace, args []string) error {
			list, raw, err := o.read(p, args)
			if err != nil {
				return err
			}
			request := map[string]any{"collection": o.collection, "documents": raw, "replace": o.replace}
			if o.client != "" {
				request["client"] = metadata.CollectionClient{Name: o.client, Version: o.version}
			}
			if o.rest {
				request["rest"] = true
			}
			switch o.roles {
			case "":
			case "all":
				request["allow"] = metadata.AllowlistScope{Global: true}
			default:
				request["allow"] = metadata.AllowlistScope{Roles: strings.Split(o.roles, ",")}
			}
			if *dry {
				answer, err := p.server.Try(ctx, "import_documents", request)
				if err != nil {
					return explainRefusal(err)
				}
				_, err = p.printChanges(answer)
				return err
			}
			answer, err := p.server.Metadata(ctx, "import_documents", 0, request)
			if err != nil {
				return explainRefusal(err)
			}
			var report struct{ Imported, Removed int }
			if err := json.Unmarshal(answer, &report); err != nil {
				return fmt.Errorf("answer of the server: %w", err)
			}
			p.say("%s: %d documents, %d of them new, %d removed", o.collection, len(list), report.Imported, report.Removed)
			return nil
		},
	}
}

func documentsDiff() projectCommand {
	o := &documentOptions{}
	return projectCommand{
		usage: documentsUsage,
		flags: o.declare,
		run: func(ctx context.Context, p *workplace, args []string) error {
			list, _, err := o.read(p, args)
			if err != nil {
				return err
			}
			collections, err := p.collections(ctx)
			if err != nil {
				return err
			}
			there := map[string]metadata.StoredQuery{}
			for _, c := range collections {
				if c.Name == o.collection {
					for _, q := range c.Definition.Queries {
						there[q.ID] = q
					}
				}
			}
			same := true
			mark := func(mark, id, name string) {
				same = false
				p.print("%s %s\t%s", mark, id, name)
			}
			for _, q := range list {
				switch is, known := there[q.ID]; {
				case !known:
					mark("+", q.ID, q.Name)
				case is.Query != q.Query:
					mark("~", q.ID, q.Name)
				}
				delete(there, q.ID)
			}
			for _, id := range slices.Sorted(maps.Keys(there)) {
				mark("-", id, there[id].Name)
			}
			if !same {
				return errNo
			}
			p.say("no differences")
			return nil
		},
	}
}

func documentsPrune() projectCommand {
	var client, keep *string
	var dry *bool
	return projectCommand{
		usage: documentsUsage,
		flags: func(f *flag.FlagSet) {
			client = f.String("client-name", "", "name of the client")
			keep = f.String("keep", "", "versions that stay, separated by commas")
			dry = f.Bool("dry-run", false, "only say what would be removed")
		},
		run: func(ctx context.Context, p *workplace, _ []string) error {
			if *client == "" || *keep == "" {
				return errors.New("--client-name and --keep are needed")
			}
			kept := strings.Split(*keep, ",")
			collections, err := p.collections(ctx)
			if err != nil {
				return err
			}
			var requests []any
			for _, c := range collections {
				if c.Client == nil || c.Client.Name != *client || slices.Contains(kept, c.Client.Version) {
					continue
				}
				p.print("- %s\t%d documents", c.Name, len(c.Definition.Queries))
				requests = append(requests, map[string]any{
					"type": "drop_query_collection", "args": map[string]any{"collection": c.Name, "cascade": true},
				})
			}
			if len(requests) == 0 {
				p.say("nothing to remove")
				return nil
			}
			if *dry {
				return nil
			}
			_, err = p.server.Metadata(ctx, "bulk", 0, requests)
			return explainRefusal(err)
		},
	}
}

// collections are the query collections of the server.
func (p *workplace) collections(ctx context.Context) ([]metadata.QueryCollection, error) {
	raw, err := p.server.Metadata(ctx, "export_metadata", 1, struct{}{})
	if err != nil {
		return nil, err
	}
	var document struct {
		Collections []metadata.QueryCollection `json:"query_collections"`
	}
	if err := json.Unmarshal(raw, &document); err != nil {
		return nil, fmt.Errorf("answer of the server: %w", err)
	}
	return document.Collections, nil
}
