package remote

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
)

// State is what tools keep on the server: which migrations are applied, by source and
// version; true marks one that has begun and not ended. What others keep in it stays.
type State struct {
	Migrations map[string]map[int64]bool
	// Imported is when the event log of another engine was first taken over, by source: what it
	// has written since is in ours, too.
	Imported map[string]string
	other    map[string]json.RawMessage
}

const (
	migrationsKey = "migrations"
	importedKey   = "imported_event_logs"
)

// State reads the state.
func (c *Client) State(ctx context.Context) (*State, error) {
	raw, err := c.Metadata(ctx, "get_catalog_state", 0, struct{}{})
	if err != nil {
		return nil, err
	}
	var answer struct {
		CLI map[string]json.RawMessage `json:"cli_state"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, fmt.Errorf("state of the server: %w", err)
	}
	s := &State{Migrations: map[string]map[int64]bool{}, Imported: map[string]string{}, other: answer.CLI}
	if s.other == nil {
		s.other = map[string]json.RawMessage{}
	}
	if kept := s.other[migrationsKey]; kept != nil {
		if err := json.Unmarshal(kept, &s.Migrations); err != nil {
			return nil, fmt.Errorf("state of the migrations: %w", err)
		}
	}
	if kept := s.other[importedKey]; kept != nil {
		if err := json.Unmarshal(kept, &s.Imported); err != nil {
			return nil, fmt.Errorf("state of imports: %w", err)
		}
	}
	return s, nil
}

// Mark records a migration; dirty marks that it hasn't ended.
func (c *Client) Mark(ctx context.Context, s *State, source string, version int64, dirty bool) error {
	if s.Migrations[source] == nil {
		s.Migrations[source] = map[int64]bool{}
	}
	s.Migrations[source][version] = dirty
	return c.Store(ctx, s)
}

// Unmark forgets migrations.
func (c *Client) Unmark(ctx context.Context, s *State, source string, versions ...int64) error {
	for _, v := range versions {
		delete(s.Migrations[source], v)
	}
	return c.Store(ctx, s)
}

// Store writes the state.
func (c *Client) Store(ctx context.Context, s *State) error {
	texts := make(map[string]map[string]bool, len(s.Migrations))
	for source, versions := range s.Migrations {
		texts[source] = make(map[string]bool, len(versions))
		for v, dirty := range versions {
			texts[source][strconv.FormatInt(v, 10)] = dirty
		}
	}
	state := map[string]any{}
	for key, raw := range s.other {
		state[key] = raw
	}
	state[migrationsKey] = texts
	if len(s.Imported) > 0 {
		state[importedKey] = s.Imported
	}
	for key, value := range map[string]any{"settings": map[string]string{"migration_mode": "true"}, "isStateCopyCompleted": true} {
		if state[key] == nil {
			state[key] = value
		}
	}
	_, err := c.Metadata(ctx, "set_catalog_state", 0, map[string]any{"type": "cli", "state": state})
	return err
}
