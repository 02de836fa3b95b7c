// Package sources reads the catalogs of the sources of the metadata.
package sources

import (
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/open"
	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
)

// Catalogs are the catalogs of all sources, and for those that could not be read the
// reason. They are immutable.
type Catalogs struct {
	BySource map[string]*catalog.Source
	// Errors holds the reason and, after a line break, the driver's message.
	Errors map[string]string
}

// Reason splits an error of Catalogs.
func Reason(text string) (reason, detail string) {
	reason, detail, _ = strings.Cut(text, "\n")
	return reason, detail
}

// Introspect returns the catalogs that fit doc, of which the named parts are read again.
// Everything that is as it was is shared with c. A source that can't be read keeps the
// catalog that it had.
func Introspect(ctx context.Context, pool *open.Pool, doc *metadata.Document, c Catalogs, what metadata.Introspection) Catalogs {
	next := Catalogs{BySource: map[string]*catalog.Source{}, Errors: map[string]string{}}
	for _, m := range doc.Sources {
		if m.IsForeign() {
			continue // there is nothing to open it with
		}
		old := c.BySource[m.Name]
		var read *catalog.Source
		var err error
		wanted := partOf(what, m.Name)
		switch {
		case what.All || slices.Contains(what.Sources, m.Name):
			read, err = whole(ctx, pool, m, old)
		case len(wanted.Tables)+len(wanted.Functions) > 0 && old != nil:
			read, err = part(ctx, pool, m, old, wanted)
		default:
			read = old
			if text := c.Errors[m.Name]; text != "" {
				next.Errors[m.Name] = text
			}
		}
		if err != nil {
			read = old
			next.Errors[m.Name] = failure(m.Name, old, err)
		}
		if read != nil {
			next.BySource[m.Name] = read
		}
	}
	if maps.Equal(next.BySource, c.BySource) {
		next.BySource = c.BySource
	}
	if maps.Equal(next.Errors, c.Errors) {
		next.Errors = c.Errors
	}
	return next
}

func partOf(what metadata.Introspection, source string) backend.Part {
	var part backend.Part
	for _, t := range what.Tables {
		if t.Source == source {
			part.Tables = append(part.Tables, t.Name)
		}
	}
	for _, f := range what.Functions {
		if f.Source == source {
			part.Functions = append(part.Functions, f.Name)
		}
	}
	return part
}

// whole reads the whole catalog.
func whole(ctx context.Context, pool *open.Pool, m *metadata.Source, old *catalog.Source) (*catalog.Source, error) {
	s, err := pool.Use(m)
	if err != nil {
		return nil, err
	}
	defer s.Release()
	read, err := s.Introspect(ctx, Enums(m))
	if err != nil {
		return nil, err
	}
	return Share(read, old), nil
}

// part reads some tables and functions and puts them into the catalog.
func part(ctx context.Context, pool *open.Pool, m *metadata.Source, old *catalog.Source, wanted backend.Part) (*catalog.Source, error) {
	s, err := pool.Use(m)
	if err != nil {
		return nil, err
	}
	defer s.Release()
	partial, ok := s.Source.(backend.PartIntrospector)
	if !ok {
		return whole(ctx, pool, m, old)
	}
	read, err := partial.IntrospectPart(ctx, wanted, Enums(m))
	if err != nil {
		return nil, err
	}
	merged := *old
	merged.Tables, merged.Functions, merged.Enums = maps.Clone(old.Tables), maps.Clone(old.Functions), maps.Clone(old.Enums)
	for _, name := range wanted.Tables {
		replace(merged.Tables, read.Tables, name)
		replace(merged.Enums, read.Enums, name)
	}
	for _, name := range wanted.Functions {
		replace(merged.Functions, read.Functions, name)
	}
	return Share(&merged, old), nil
}

func replace[V any](m, read map[catalog.Name]V, name catalog.Name) {
	if v, ok := read[name]; ok {
		m[name] = v
	} else {
		delete(m, name)
	}
}

// Enums are the tables of a source that are used as enums.
func Enums(m *metadata.Source) []catalog.Name {
	var enums []catalog.Name
	for _, t := range m.Tables {
		if t.IsEnum {
			enums = append(enums, t.Table)
		}
	}
	return enums
}

// Share returns read with everything that is as it was in old taken from there, and old
// itself when nothing changed.
func Share(read, old *catalog.Source) *catalog.Source {
	if old == nil {
		return read
	}
	s := *read
	s.Tables = shareMap(read.Tables, old.Tables)
	s.Functions = shareMap(read.Functions, old.Functions)
	s.Enums = shareMap(read.Enums, old.Enums)
	same := s.Version == old.Version && maps.Equal(s.Extensions, old.Extensions) &&
		identical(s.Tables, old.Tables) && identical(s.Functions, old.Functions) && identical(s.Enums, old.Enums)
	if same {
		return old
	}
	return &s
}

// shareMap returns old when both are equal, else read with the equal values of old.
func shareMap[V any](read, old map[catalog.Name]V) map[catalog.Name]V {
	shared := make(map[catalog.Name]V, len(read))
	equal := len(read) == len(old)
	for name, v := range read {
		if o, ok := old[name]; ok && reflect.DeepEqual(v, o) {
			shared[name] = o
		} else {
			shared[name] = v
			equal = false
		}
	}
	if equal && old != nil {
		return old
	}
	return shared
}

// identical reports whether both are the same map, or both empty.
func identical[V any](a, b map[catalog.Name]V) bool {
	return len(a) == 0 && len(b) == 0 || reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer()
}

// failure is the reason for a source that could not be read. With a catalog from before,
// the source stays in use.
func failure(source string, old *catalog.Source, err error) string {
	e := apierror.From(err)
	detail := detailOf(e)
	if old != nil {
		if detail == "" {
			detail = e.Message
		}
		return `source "` + source + `" is inconsistent because of stale database introspection is used. ` +
			"The source couldn't be reached for a fresh introspection because we got error: " + oneLine(detail)
	}
	if detail == "" {
		return oneLine(e.Message)
	}
	return oneLine(e.Message) + "\n" + detail
}

func detailOf(e *apierror.Error) string {
	raw := e.InternalJSON()
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
