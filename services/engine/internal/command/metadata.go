package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	"queryengine/services/engine/internal/remote"
)

// inconsistent is an inconsistent object, as far as it is printed.
type inconsistent struct {
	Type   string `json:"type"`
	Name   string `json:"name"`
	Reason string `json:"reason"`
	// Message has the cause: a text, or an object where a remote schema couldn't be reached.
	Message json.RawMessage `json:"message"`
}

// String is the name, and why the object can't be used.
func (i inconsistent) String() string {
	text := i.Name + ": " + i.Reason
	var cause struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(i.Message, &cause.Message) != nil {
		_ = json.Unmarshal(i.Message, &cause) // of another form: the reason is enough
	}
	if cause.Message != "" && !strings.Contains(i.Reason, cause.Message) {
		text += ": " + cause.Message
	}
	return text
}

// verdict is the answer of requests that replace or reload metadata.
type verdict struct {
	Consistent   bool           `json:"is_consistent"`
	Inconsistent []inconsistent `json:"inconsistent_objects"`
	Warnings     []warning      `json:"warnings"`
	// Tried is the answer that a dry run stands for.
	Tried struct {
		Warnings []warning `json:"warnings"`
	} `json:"answer"`
}

type warning struct {
	Message string `json:"message"`
	Name    string `json:"name"`
}

func (p *workplace) warn(raw json.RawMessage) error {
	var v verdict
	if err := json.Unmarshal(raw, &v); err != nil {
		return fmt.Errorf("answer of the server: %w", err)
	}
	for _, w := range slices.Concat(v.Warnings, v.Tried.Warnings) {
		p.say("warning: %s (%s)", w.Message, w.Name)
	}
	if len(v.Inconsistent) > 0 {
		p.say("warning: the metadata is inconsistent:")
		for _, i := range v.Inconsistent {
			p.say("  %s", i)
		}
	}
	return nil
}

func (p *workplace) replace(ctx context.Context, args map[string]any) (json.RawMessage, error) {
	document, err := p.config.ReadMetadata()
	if err != nil {
		return nil, err
	}
	if err := p.server.Ping(ctx, p.Errs); err != nil {
		return nil, err
	}
	args["metadata"] = document
	answer, err := p.server.Metadata(ctx, "replace_metadata", 2, args)
	return answer, explainRefusal(err)
}

// explainRefusal adds the inconsistent objects of a refusal to its text.
func explainRefusal(err error) error {
	var r *remote.RefusedError
	var list []inconsistent
	if !errors.As(err, &r) || json.Unmarshal(r.Internal, &list) != nil || len(list) == 0 {
		return err
	}
	var b strings.Builder
	for _, i := range list {
		if i.Name != "" {
			fmt.Fprintf(&b, "\n  %s", i)
		}
	}
	return fmt.Errorf("%w%s", err, b.String())
}

func metadataApply() projectCommand {
	var strict, dry, test *bool
	var vendor *string
	return projectCommand{
		flags: func(f *flag.FlagSet) {
			strict = f.Bool("disallow-inconsistent-metadata", false, "refuse metadata of which some objects can't be used")
			dry = f.Bool("dry-run", false, "only say what would change")
			test = f.Bool("test", false, "run the permission tests, and restore the metadata that was there before if one fails")
			vendor = f.String("vendor-names", "", "the engine that the metadata was written for, to map its names")
		},
		run: func(ctx context.Context, p *workplace, _ []string) error {
			args := map[string]any{"allow_inconsistent_metadata": !*strict, "dry_run": *dry}
			if *vendor != "" {
				args["vendor_names"] = *vendor
			}
			var before int64
			if *test && !*dry {
				var err error
				if before, err = p.version(ctx); err != nil {
					return err
				}
			}
			answer, err := p.replace(ctx, args)
			if err != nil {
				return err
			}
			if *dry {
				_, err := p.printChanges(answer)
				return err
			}
			p.say("metadata applied")
			if err := p.warn(answer); err != nil || !*test {
				return err
			}
			return p.testApplied(ctx, before)
		},
	}
}

// version is that of the server's metadata.
func (p *workplace) version(ctx context.Context) (int64, error) {
	raw, err := p.server.Metadata(ctx, "export_metadata", 2, struct{}{})
	if err != nil {
		return 0, err
	}
	var document struct {
		Version int64 `json:"resource_version"`
	}
	return document.Version, json.Unmarshal(raw, &document)
}

// testApplied runs the permission tests on metadata that was applied, and restores a version before if one fails.
func (p *workplace) testApplied(ctx context.Context, before int64) error {
	tests, err := p.permissionTests()
	if err == nil {
		err = p.testPermissions(ctx, tests)
	}
	if err == nil {
		return nil
	}
	args := map[string]any{"version": before, "allow_inconsistent_metadata": true}
	if _, undone := p.server.Metadata(ctx, "rollback_metadata", 0, args); undone != nil {
		return errors.Join(err, fmt.Errorf("restore the metadata: %w", undone))
	}
	p.say("the metadata is as it was before")
	return err
}

// changedObject is an object of the metadata that isn't as it was.
type changedObject struct{ Op, Kind, Source, Schema, Name string }

// String names the object, with a mark of what happened to it. The history doesn't tell an object that was added from one that was changed.
func (c changedObject) String() string {
	marks := map[string]string{"add": "+", "change": "~", "set": "~", "remove": "-"}
	words := []string{marks[c.Op], c.Kind}
	if c.Name != "" {
		words = append(words, strings.TrimPrefix(c.Schema+"."+c.Name, "."))
	}
	if c.Source != "" {
		words = append(words, "in source "+c.Source)
	}
	return strings.Join(words, " ")
}

// printChanges prints the answer of a dry run. It fails if the request would fail.
func (p *workplace) printChanges(raw json.RawMessage) (changed bool, err error) {
	var report struct {
		Changes []changedObject      `json:"changes"`
		Refused *remote.RefusedError `json:"refused"`
	}
	if err := json.Unmarshal(raw, &report); err != nil {
		return false, fmt.Errorf("answer of the server: %w", err)
	}
	for _, c := range report.Changes {
		p.print("%s", c)
	}
	if err := p.warn(raw); err != nil {
		return false, err
	}
	if len(report.Changes) == 0 && report.Refused == nil {
		p.say("no differences")
	}
	if report.Refused != nil {
		return false, fmt.Errorf("it would be refused: %w", report.Refused)
	}
	return len(report.Changes) > 0, nil
}

func metadataDiff() projectCommand {
	return projectCommand{run: func(ctx context.Context, p *workplace, _ []string) error {
		answer, err := p.replace(ctx, map[string]any{"allow_inconsistent_metadata": true, "dry_run": true})
		if err != nil {
			return err
		}
		changed, err := p.printChanges(answer)
		if err == nil && changed {
			return errNo
		}
		return err
	}}
}

func metadataExport() projectCommand {
	return projectCommand{run: func(ctx context.Context, p *workplace, _ []string) error {
		document, err := p.server.Metadata(ctx, "export_metadata", 1, struct{}{})
		if err != nil {
			return err
		}
		if _, err := p.config.WriteMetadata(document); err != nil {
			return err
		}
		p.say("metadata exported to %s", p.config.MetadataPath())
		return nil
	}}
}

func metadataReload() projectCommand {
	return projectCommand{run: func(ctx context.Context, p *workplace, _ []string) error {
		answer, err := p.server.Metadata(ctx, "reload_metadata", 0, map[string]bool{"reload_remote_schemas": true, "reload_sources": true})
		if err != nil {
			return err
		}
		p.say("metadata reloaded")
		return p.warn(answer)
	}}
}

func metadataClear() projectCommand {
	return projectCommand{run: func(ctx context.Context, p *workplace, _ []string) error {
		if _, err := p.server.Metadata(ctx, "clear_metadata", 0, struct{}{}); err != nil {
			return err
		}
		p.say("metadata cleared")
		return nil
	}}
}

func (p *workplace) inconsistencies(ctx context.Context) (verdict, error) {
	var v verdict
	raw, err := p.server.Metadata(ctx, "get_inconsistent_metadata", 0, struct{}{})
	if err == nil {
		err = json.Unmarshal(raw, &v)
	}
	return v, err
}

func inconsistencyList() projectCommand {
	return projectCommand{run: func(ctx context.Context, p *workplace, _ []string) error {
		v, err := p.inconsistencies(ctx)
		if err != nil {
			return err
		}
		for _, i := range v.Inconsistent {
			p.print("%s\t%s\t%s", i.Type, i.Name, strings.TrimPrefix(i.String(), i.Name+": "))
		}
		if v.Consistent {
			p.say("the metadata is consistent")
		}
		return nil
	}}
}

func inconsistencyStatus() projectCommand {
	return projectCommand{run: func(ctx context.Context, p *workplace, _ []string) error {
		v, err := p.inconsistencies(ctx)
		switch {
		case err != nil:
			return err
		case v.Consistent:
			p.print("the metadata is consistent")
			return nil
		}
		p.print("the metadata is inconsistent: %d objects can't be used", len(v.Inconsistent))
		return errNo
	}}
}

func inconsistencyDrop() projectCommand {
	return projectCommand{run: func(ctx context.Context, p *workplace, _ []string) error {
		if _, err := p.server.Metadata(ctx, "drop_inconsistent_metadata", 0, struct{}{}); err != nil {
			return explainRefusal(err)
		}
		p.say("inconsistent objects dropped")
		return nil
	}}
}

// kinds are the kinds of the sources of the server.
func (p *workplace) kinds(ctx context.Context) (map[string]string, error) {
	raw, err := p.server.Metadata(ctx, "export_metadata", 1, struct{}{})
	if err != nil {
		return nil, err
	}
	var document struct {
		Sources []struct{ Name, Kind string } `json:"sources"`
	}
	if err := json.NewDecoder(bytes.NewReader(raw)).Decode(&document); err != nil {
		return nil, fmt.Errorf("answer of the server: %w", err)
	}
	kinds := map[string]string{}
	for _, s := range document.Sources {
		kinds[s.Name] = s.Kind
	}
	return kinds, nil
}
