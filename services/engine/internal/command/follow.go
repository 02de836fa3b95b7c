package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"strings"
	"time"

	"queryengine/services/engine/internal/remote"
)

// Between attempts to follow a server that can't be reached, the wait doubles from the first to the last.
const (
	firstWait = time.Second
	lastWait  = 30 * time.Second
)

// versionsAtOnce is how many versions of the history are requested at once.
const versionsAtOnce = 100

// version is one of the history of the metadata, as far as it is printed.
type version struct {
	Version   int64           `json:"resource_version"`
	At        string          `json:"at"`
	Operation string          `json:"operation"`
	Changed   int             `json:"changed_objects"`
	Objects   []changedObject `json:"objects"`
	By        *struct {
		Role   string `json:"role"`
		UserID string `json:"user_id"`
	} `json:"by"`
}

// follower prints each version of the metadata once, in order.
type follower struct {
	*workplace
	asJSON bool
	known  int64
	begun  bool // known is a version, and not just none
}

func metadataFollow() projectCommand {
	var asJSON *bool
	var from *int64
	return projectCommand{
		serves: true,
		flags: func(f *flag.FlagSet) {
			asJSON = f.Bool("json", false, "print each version as a line of JSON")
			from = f.Int64("from", 0, "the version after which to begin (default: the one in effect)")
		},
		run: func(ctx context.Context, p *workplace, _ []string) error {
			f := &follower{workplace: p, asJSON: *asJSON, known: *from, begun: *from > 0}
			return f.follow(ctx)
		},
	}
}

// follow goes on after each connection that ends, until ctx is done or the server refuses.
func (f *follower) follow(ctx context.Context) error {
	wait := firstWait
	for {
		err := f.server.Follow(ctx, f.known, func(v int64) error {
			wait = firstWait
			return f.take(ctx, v)
		})
		if ctx.Err() != nil {
			return nil //nolint:nilerr // it was stopped
		}
		if refused(err) {
			return err
		}
		f.say("%s; again in %s", err, wait)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
		wait = min(2*wait, lastWait)
	}
}

// refused reports whether an error stays, however often it is tried.
func refused(err error) bool {
	var r *remote.RefusedError
	return errors.As(err, &r) && r.Status >= 400 && r.Status < 500 && r.Status != http.StatusTooManyRequests && r.Status != http.StatusRequestTimeout
}

// take prints the versions up to one that is in effect now.
func (f *follower) take(ctx context.Context, now int64) error {
	switch {
	case !f.begun:
		f.say("following from version %d on", now)
	case now < f.known:
		f.say("version %d follows version %d: the metadata database was restored", now, f.known)
	default:
		if err := f.printSince(ctx, now); err != nil {
			return err
		}
	}
	f.known, f.begun = now, true
	return nil
}

// printSince prints the versions after the known one, the oldest first.
func (f *follower) printSince(ctx context.Context, now int64) error {
	ctx, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	var found []json.RawMessage // the newest first
	for before := now + 1; before > f.known+1; {
		raw, err := f.server.Metadata(ctx, "list_metadata_versions", 0, map[string]any{"limit": versionsAtOnce, "before": before})
		if err != nil {
			return err
		}
		var page struct {
			Versions []json.RawMessage `json:"versions"`
		}
		if err := json.Unmarshal(raw, &page); err != nil {
			return fmt.Errorf("answer of the server: %w", err)
		}
		oldest := before
		for _, one := range page.Versions {
			var v version
			if err := json.Unmarshal(one, &v); err != nil {
				return fmt.Errorf("answer of the server: %w", err)
			}
			if oldest = v.Version; oldest <= f.known {
				break
			}
			found = append(found, one)
		}
		if oldest == before { // the history begins later
			f.say("the history has no versions from %d to %d any more", f.known+1, before-1)
			break
		}
		before = oldest
	}
	for i := len(found) - 1; i >= 0; i-- {
		if err := f.printVersion(found[i]); err != nil {
			return err
		}
	}
	return nil
}

func (f *follower) printVersion(raw json.RawMessage) error {
	if f.asJSON {
		var line bytes.Buffer
		if err := json.Compact(&line, raw); err != nil {
			return fmt.Errorf("answer of the server: %w", err)
		}
		f.print("%s", line.String())
		return nil
	}
	var v version
	if err := json.Unmarshal(raw, &v); err != nil {
		return fmt.Errorf("answer of the server: %w", err)
	}
	f.print("%d\t%s\t%s\t%s\t%s", v.Version, v.At, v.by(), v.Operation, v.objects())
	return nil
}

// by is who asked for a version.
func (v *version) by() string {
	if v.By == nil {
		return "-"
	}
	return strings.TrimSuffix(v.By.Role+" "+v.By.UserID, " ")
}

// objects are those that changed, with the mark of what happened to them.
func (v *version) objects() string {
	list := make([]string, 0, len(v.Objects)+1)
	for _, o := range v.Objects {
		list = append(list, o.String())
	}
	if more := v.Changed - len(v.Objects); more > 0 {
		list = append(list, fmt.Sprintf("%d more", more))
	}
	return strings.Join(list, ", ")
}
