package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"queryengine/pkg/config"
	"queryengine/services/engine/sample"
)

const (
	// sampleMark is the file in the data directory that marks that the sample was offered: the user's
	// later changes to it stay.
	sampleMark = "sample-loaded"
	// sampleQuery is a first query on the sample.
	sampleQuery = "{ albums(order_by: {released: desc, id: asc}, limit: 2) { title artist { name } } }"
	// sampleSource is the source that the sample is in.
	sampleSource = "default"
)

// sample fills the database of an installation with the sample and has its gateway, which the settings
// of a server's address name, track it. It does so once, and never next to other tables.
func (sh *Shell) sample(ctx context.Context, args []string) error {
	v, err := sh.settings("sample", args, sh.Env)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(config.DataDir.Get(v), 0o700); err != nil {
		return config.DataDir.Spec().Wrong(err)
	}
	if err := sh.loadSample(ctx, v); err != nil {
		return err
	}
	return sh.applySample(ctx, v)
}

// loadSample fills the database with the sample when its schema public has no tables.
func (sh *Shell) loadSample(ctx context.Context, v *config.Values) error {
	url := config.DatabaseURL.Get(v).Reveal()
	empty, err := sample.Empty(ctx, url)
	if err != nil {
		return err
	}
	if !empty {
		loaded, err := sample.Loaded(ctx, url)
		if err == nil && !loaded {
			fmt.Fprintln(sh.Out, "the sample isn't loaded: schema public of the database has tables")
		}
		return err
	}
	fmt.Fprintln(sh.Out, "loading the sample")
	return sample.Load(ctx, url, sample.Small)
}

// applySample applies the sample's metadata on the first start, where the database holds
// the sample and no table is tracked yet.
func (sh *Shell) applySample(ctx context.Context, v *config.Values) error {
	mark := filepath.Join(config.DataDir.Get(v), sampleMark)
	if _, err := os.Stat(mark); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	loaded, err := sample.Loaded(ctx, config.DatabaseURL.Get(v).Reveal())
	if err != nil {
		return err
	}
	c := selfClient(v)
	if err := c.await(ctx, "/healthz"); err != nil {
		return err
	}
	sources, err := c.sources(ctx)
	if err != nil {
		return err
	}
	if loaded && !tracksTables(sources) {
		body, err := sampleMetadata(sources)
		if err != nil {
			return err
		}
		if _, err := c.metadata(ctx, body); err != nil {
			return fmt.Errorf("the sample's metadata: %w", err)
		}
	}
	return os.WriteFile(mark, nil, 0o600)
}

// source is a source of the metadata, as far as the sample needs it.
type source struct {
	Name          string            `json:"name"`
	Kind          string            `json:"kind"`
	Tables        []json.RawMessage `json:"tables"`
	Configuration json.RawMessage   `json:"configuration"`
}

// sources are those of the server's metadata.
func (c client) sources(ctx context.Context) ([]source, error) {
	answer, err := c.metadata(ctx, []byte(`{"type":"export_metadata","args":{}}`))
	if err != nil {
		return nil, err
	}
	var document struct {
		Sources []source `json:"sources"`
	}
	err = json.Unmarshal(answer, &document)
	return document.Sources, err
}

func tracksTables(sources []source) bool {
	for _, s := range sources {
		if len(s.Tables) > 0 {
			return true
		}
	}
	return false
}

// sampleMetadata is the request that tracks the sample. The address of its source stays as the server
// has it: the one in the sample comes from a variable, which services that read their secrets from
// files don't have.
func sampleMetadata(sources []source) ([]byte, error) {
	var args struct {
		Metadata struct {
			Version int                          `json:"version"`
			Sources []map[string]json.RawMessage `json:"sources"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(sample.Metadata(), &args); err != nil {
		return nil, err
	}
	for _, s := range sources {
		if s.Name == sampleSource && len(s.Configuration) > 0 {
			args.Metadata.Sources[0]["configuration"] = s.Configuration
		}
	}
	return json.Marshal(map[string]any{"type": "replace_metadata", "args": args})
}
