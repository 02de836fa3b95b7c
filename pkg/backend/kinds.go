package backend

import (
	"encoding/json"

	"queryengine/pkg/apierror"
	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
)

// Kind is one kind of sources: what metadata has to know of it, and what its backend does.
type Kind struct {
	*metadata.Kind
	// Dialect is the dialect of a source with that catalog and configuration, from these alone; one that was not
	// introspected yet has an empty catalog. Dialects are comparable, and equal ones do the same: what was
	// made with one is kept for the other. The configuration is that of metadata, nil for the default.
	Dialect func(c *catalog.Source, configuration json.RawMessage) (Dialect, error)
	// Open opens a source; it makes no connection yet.
	Open func(*metadata.Source) (Source, error)
}

// Kinds are the kinds that a program has backends for, by their names in metadata. They are not
// changed after they were made.
type Kinds map[string]*Kind

// NewKinds are some kinds by their names.
func NewKinds(list ...*Kind) Kinds {
	kinds := make(Kinds, len(list))
	for _, k := range list {
		kinds[k.Name] = k
	}
	return kinds
}

// Dialect is the dialect of a source of a kind with that catalog, nil when there is none yet, and configuration.
func (k Kinds) Dialect(name string, c *catalog.Source, configuration json.RawMessage) (Dialect, error) {
	kind := k[name]
	if kind == nil {
		return nil, unsupported(name)
	}
	if c == nil {
		c = &catalog.Source{}
	}
	return kind.Dialect(c, configuration)
}

func unsupported(kind string) error {
	return apierror.Newf(apierror.NotSupported, "sources of kind %q are not supported", kind)
}

// Metadata is what metadata has to know of the kinds.
func (k Kinds) Metadata() metadata.Kinds {
	kinds := make(metadata.Kinds, len(k))
	for name, kind := range k {
		kinds[name] = kind.Kind
	}
	return kinds
}

// Open opens a source by its kind.
func (k Kinds) Open(s *metadata.Source) (Source, error) {
	kind := k[s.Kind]
	if kind == nil {
		return nil, unsupported(s.Kind)
	}
	return kind.Open(s)
}

// Measured is Open with the connections of sources measured.
func (k Kinds) Measured(m *PoolMetrics) func(*metadata.Source) (Source, error) {
	return func(s *metadata.Source) (Source, error) {
		source, err := k.Open(s)
		if measurable, ok := source.(Measurable); ok && err == nil {
			measurable.Measure(m, s.Name)
		}
		return source, err
	}
}
