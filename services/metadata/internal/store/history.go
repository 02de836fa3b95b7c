package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"queryengine/pkg/apierror"
	"queryengine/pkg/metadata"
	"queryengine/pkg/snapshot"
)

// summaryLimit bounds the objects that a Summary names.
const summaryLimit = 50

// Summary is what a change was, in short.
type Summary struct {
	// Operation is the type of the request.
	Operation string `json:"operation"`
	// Objects are the first of those that changed in the document, without their values;
	// Count is how many there are.
	Objects []snapshot.Object `json:"objects"`
	Count   int               `json:"changed_objects"`
	// By is who asked for it, nil for what the engine did by itself, as when it reads a source again.
	By *Author `json:"by,omitempty"`
}

// Author is who asked for a change.
type Author struct {
	Role string `json:"role"`
	// UserID is the session variable x-engine-user-id, "" where the session has none.
	UserID string `json:"user_id,omitempty"`
	// RequestID is that of the request, by which it is found in the logs.
	RequestID string `json:"request_id,omitempty"`
}

// summarise names the objects that going back would set or remove, which are those that the change
// affected.
func summarise(r Record) Summary {
	change, undo := r.Change, r.Undo
	s := Summary{Operation: r.Operation, Objects: []snapshot.Object{}, Count: len(undo.Objects), By: r.By}
	document := map[snapshot.Key]bool{}
	for _, o := range undo.Objects {
		document[o.Key()] = true
	}
	for _, o := range change.Objects {
		if len(s.Objects) == summaryLimit {
			break
		}
		if document[o.Key()] {
			o.Value = nil
			s.Objects = append(s.Objects, o)
		}
	}
	return s
}

// Entry is one version of the history.
type Entry struct {
	Version int64     `json:"resource_version"`
	At      time.Time `json:"at"`
	Summary
	// Kept reports whether the version before can be rebuilt.
	Kept bool `json:"-"`
}

// pageSize is how many versions are read at once while some are looked for.
const pageSize = 500

// Versions lists the versions that are kept, newest first: at most limit of those before a
// version, 0 for all. With words, it lists those that were made by, with or of all of them.
func (s *Store) Versions(ctx context.Context, before int64, limit int, words []string) ([]Entry, error) {
	if len(words) == 0 {
		return s.page(ctx, before, limit)
	}
	var found []Entry
	for len(found) < limit {
		read, err := s.page(ctx, before, pageSize)
		if err != nil {
			return nil, err
		}
		for _, e := range read {
			if e.hasAll(words) {
				found = append(found, e)
			}
		}
		if len(read) < pageSize {
			break
		}
		before = read[len(read)-1].Version
	}
	return found[:min(limit, len(found))], nil
}

// hasAll reports whether the version, who made it, its operation and the objects of its summary have all words, which are in lower case.
func (e *Entry) hasAll(words []string) bool {
	var b strings.Builder
	fmt.Fprintln(&b, e.Version, e.Operation)
	if e.By != nil {
		fmt.Fprintln(&b, e.By.Role, e.By.UserID)
	}
	for _, o := range e.Objects {
		fmt.Fprintln(&b, o.Op, o.Kind, strings.Join(slices.DeleteFunc([]string{o.Source, o.Schema, o.Name}, func(part string) bool { return part == "" }), "."))
	}
	text := strings.ToLower(b.String())
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}

// page lists versions as Versions does without words.
func (s *Store) page(ctx context.Context, before int64, limit int) ([]Entry, error) {
	rows, err := s.pool.Query(ctx, `SELECT version, change->>'at', coalesce(summary, '{}'), undo IS NOT NULL
		FROM engine_catalog.metadata_change WHERE $1 = 0 OR version < $1 ORDER BY version DESC LIMIT $2`, before, limit)
	if err != nil {
		return nil, failure(err)
	}
	entries, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Entry, error) {
		var e Entry
		var at string
		var summary []byte
		if err := row.Scan(&e.Version, &at, &summary, &e.Kept); err != nil {
			return e, err
		}
		if err := json.Unmarshal(summary, &e.Summary); err != nil {
			return e, fmt.Errorf("summary of version %d: %w", e.Version, err)
		}
		var err error
		e.At, err = time.Parse(time.RFC3339Nano, at)
		return e, err
	})
	return entries, failure(err)
}

// DocumentAt is the document at a version that is kept, found by going back from s.
func (s *Store) DocumentAt(ctx context.Context, from *snapshot.Snapshot, version int64) (*metadata.Document, error) {
	if version == from.Version {
		return from.Document, nil
	}
	if version > from.Version || version < 1 {
		return nil, notKept(version)
	}
	rows, err := s.pool.Query(ctx, `SELECT version, undo::text FROM engine_catalog.metadata_change
		WHERE version > $1 AND version <= $2 ORDER BY version DESC`, version, from.Version)
	if err != nil {
		return nil, failure(err)
	}
	defer rows.Close()
	reached := &snapshot.Snapshot{Version: from.Version, Document: from.Document}
	for rows.Next() {
		var n int64
		var undo *string
		if err := rows.Scan(&n, &undo); err != nil {
			return nil, failure(err)
		}
		if n != reached.Version || undo == nil {
			break
		}
		c, err := snapshot.DecodeChange([]byte(*undo))
		if err != nil {
			return nil, err
		}
		if reached, err = reached.Overlay(c); err != nil {
			return nil, err
		}
	}
	if err := rows.Err(); err != nil {
		return nil, failure(err)
	}
	if reached.Version != version {
		return nil, notKept(version)
	}
	return reached.Document, nil
}

func notKept(version int64) error {
	return apierror.Newf(apierror.NotExists, "version %d of the metadata is not kept", version)
}
