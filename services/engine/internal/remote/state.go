package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"queryengine/pkg/apierror"
)

// State is what tools keep on the server: which migrations are applied, by source and
// version; true marks one that has begun and not ended. What others keep in it stays.
type State struct {
	Migrations map[string]map[int64]bool
	// Imported is when the event log of another engine was first taken over, by source: what it
	// has written since is in ours, too.
	Imported map[string]string
	other    map[string]json.RawMessage
	stored   json.RawMessage // all of it, as the server has it
}

// ErrTaken reports a migration that another program has begun or ended meanwhile.
var ErrTaken = errors.New("another program applies it or takes it back at the same time: run the command again when that has ended")

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
		CLI json.RawMessage `json:"cli_state"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, fmt.Errorf("state of the server: %w", err)
	}
	s := &State{Migrations: map[string]map[int64]bool{}, Imported: map[string]string{}, stored: answer.CLI}
	if answer.CLI != nil {
		if err := json.Unmarshal(answer.CLI, &s.other); err != nil {
			return nil, fmt.Errorf("state of the server: %w", err)
		}
	}
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

// Mark records a migration; dirty marks that it hasn't ended. A dirty mark fails with ErrTaken when the migration isn't any more as the
// state has it, so that one of several programs runs it.
func (c *Client) Mark(ctx context.Context, s *State, source string, version int64, dirty bool) error {
	was, known := s.Migrations[source][version]
	return c.Update(ctx, s, func() error {
		if is, found := s.Migrations[source][version]; dirty && (is != was || found != known) {
			return ErrTaken
		}
		if s.Migrations[source] == nil {
			s.Migrations[source] = map[int64]bool{}
		}
		s.Migrations[source][version] = dirty
		return nil
	})
}

// Unmark forgets migrations.
func (c *Client) Unmark(ctx context.Context, s *State, source string, versions ...int64) error {
	return c.Update(ctx, s, func() error {
		for _, v := range versions {
			delete(s.Migrations[source], v)
		}
		return nil
	})
}

// Update changes the state and stores it. When another program has stored one meanwhile, it reads that one and changes it instead.
func (c *Client) Update(ctx context.Context, s *State, change func() error) error {
	for {
		if err := change(); err != nil {
			return err
		}
		err := c.store(ctx, s)
		refusal := new(RefusedError)
		if !errors.As(err, &refusal) || refusal.Code != string(apierror.Conflict) {
			return err
		}
		current, err := c.State(ctx)
		if err != nil {
			return err
		}
		*s = *current
	}
}

// store writes the state, unless the server has another one than it was made from.
func (c *Client) store(ctx context.Context, s *State) error {
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
	text, err := json.Marshal(state)
	if err != nil {
		return err
	}
	args := map[string]any{"type": "cli", "state": json.RawMessage(text)}
	if s.stored != nil {
		args["previous"] = s.stored
	}
	if _, err = c.Metadata(ctx, "set_catalog_state", 0, args); err == nil {
		s.stored = text
	}
	return err
}
