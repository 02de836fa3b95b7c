package apply

import (
	"context"
	"time"

	"queryengine/pkg/lifecycle"
	"queryengine/pkg/metadata"
	"queryengine/services/metadata/internal/remotes"
	"queryengine/services/metadata/internal/sources"
)

const (
	// probeTime bounds the look at what could not be read.
	probeTime = 10 * time.Second
	// longestRecheck is how often Recheck fits in the longest pause between two looks.
	longestRecheck = 6
)

// Recover looks again and again at the sources and remote schemas that could not be read, until
// ctx ends. Those that answer are introspected, so that they are consistent again without a
// reload_metadata, and their event triggers installed.
func (e *Engine) Recover(ctx context.Context) {
	pause := e.Recheck
	for lifecycle.Sleep(ctx, pause) {
		state, err := e.Refresh(ctx)
		if err != nil {
			continue // the metadata database comes first
		}
		what := e.recovered(ctx, state)
		if len(what.Sources)+len(what.Remotes) == 0 {
			if pause = min(2*pause, longestRecheck*e.Recheck); len(state.SourceErrors)+len(state.RemoteErrors) == 0 {
				pause = e.Recheck
			}
			continue
		}
		pause = e.Recheck
		err = e.internally(ctx, func(v metadata.View) (*metadata.Result, error) {
			return &metadata.Result{Document: v.Document, Introspect: what}, nil
		})
		if err != nil {
			if ctx.Err() == nil {
				e.Logger.WarnContext(ctx, "recovered sources could not be introspected", "error", err)
			}
			continue
		}
		e.installMissing(ctx)
	}
}

// recovered are the sources and remote schemas of a state that could not be read and can be now. It
// blocks nothing: the metadata can be changed meanwhile.
func (e *Engine) recovered(ctx context.Context, s *State) metadata.Introspection {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	var failing, found metadata.Introspection
	for name := range s.SourceErrors {
		failing.Sources = append(failing.Sources, name)
	}
	for name := range s.RemoteErrors {
		failing.Remotes = append(failing.Remotes, name)
	}
	if len(failing.Sources) > 0 {
		now := sources.Introspect(ctx, e.Sources, s.Document, s.catalogs(), failing)
		for _, name := range failing.Sources {
			if now.Errors[name] == "" && now.BySource[name] != nil {
				found.Sources = append(found.Sources, name)
			}
		}
	}
	if len(failing.Remotes) > 0 {
		now, err := e.Remotes.Introspect(ctx, s.Document, s.answers(), remotes.Asking{What: failing, Before: s.Document, Patience: startPatience})
		if err != nil {
			return found
		}
		for _, name := range failing.Remotes {
			if now.Errors[name] == "" && now.ByName[name] != nil {
				found.Remotes = append(found.Remotes, name)
			}
		}
	}
	return found
}
