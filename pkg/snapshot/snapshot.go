package snapshot

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
)

// ErrGap reports that a change builds on another version, or on another metadata database, than the
// snapshot it was applied to.
var ErrGap = errors.New("the change does not build on this snapshot")

// ErrTooLarge reports that a change doesn't hold its objects, because they are too many: the snapshot
// of its version has to be taken instead.
var ErrTooLarge = errors.New("the change is only a reference to a snapshot")

// Snapshot is the state at one resource version.
type Snapshot struct {
	// StreamID is the identity of the metadata database that Version counts in.
	StreamID string
	Version  int64
	Document *metadata.Document
	// Catalogs holds what introspection found, by source. A source that could never be
	// reached has none.
	Catalogs map[string]*catalog.Source
	// SourceErrors holds the reason why the last introspection of a source failed.
	SourceErrors map[string]string
	// Remotes holds the answers of remote schemas to introspection; one that could never be queried has
	// none. RemoteErrors holds the reason why the last introspection failed.
	Remotes      map[string]json.RawMessage
	RemoteErrors map[string]string
	// Inconsistent holds the inconsistent objects, in the order that the API reports them.
	// In a snapshot that was decoded they have no ID, and their Definition is JSON.
	Inconsistent []metadata.Inconsistency
}

// encoded is the JSON of a snapshot.
type encoded struct {
	StreamID     string                     `json:"stream_id"`
	Version      int64                      `json:"version"`
	Document     *metadata.Document         `json:"metadata"`
	Catalogs     map[string]*encodedCatalog `json:"catalogs,omitempty"`
	SourceErrors map[string]string          `json:"source_errors,omitempty"`
	Remotes      map[string]json.RawMessage `json:"remote_schema_introspections,omitempty"`
	RemoteErrors map[string]string          `json:"remote_schema_errors,omitempty"`
	Inconsistent []inconsistency            `json:"inconsistent_objects,omitempty"`
}

// encodedCatalog is the JSON of a catalog.Source, whose maps have keys that JSON has not.
type encodedCatalog struct {
	catalogHead
	Tables    []*catalog.Table    `json:"tables"`
	Functions []*catalog.Function `json:"functions,omitempty"`
	Enums     []encodedEnum       `json:"enums,omitempty"`
}

type encodedEnum struct {
	Table  catalog.Name        `json:"table"`
	Values []catalog.EnumValue `json:"values"`
}

// inconsistency decodes its definition to JSON.
type inconsistency metadata.Inconsistency

func (i *inconsistency) UnmarshalJSON(raw []byte) error {
	var definition struct {
		Definition json.RawMessage `json:"definition"`
	}
	if err := json.Unmarshal(raw, &definition); err != nil {
		return err
	}
	if err := json.Unmarshal(raw, (*metadata.Inconsistency)(i)); err != nil {
		return err
	}
	if definition.Definition != nil {
		i.Definition = definition.Definition
	}
	return nil
}

func encodeInconsistent(list []metadata.Inconsistency) []inconsistency {
	out := make([]inconsistency, len(list))
	for i, e := range list {
		out[i] = inconsistency(e)
	}
	return out
}

func decodeInconsistent(list []inconsistency) []metadata.Inconsistency {
	if len(list) == 0 {
		return nil
	}
	out := make([]metadata.Inconsistency, len(list))
	for i, e := range list {
		out[i] = metadata.Inconsistency(e)
	}
	return out
}

// Encode returns the snapshot as compressed JSON.
func Encode(s *Snapshot) ([]byte, error) {
	e := encoded{
		StreamID:     s.StreamID,
		Version:      s.Version,
		Document:     s.Document,
		Catalogs:     make(map[string]*encodedCatalog, len(s.Catalogs)),
		SourceErrors: s.SourceErrors,
		Remotes:      s.Remotes,
		RemoteErrors: s.RemoteErrors,
		Inconsistent: encodeInconsistent(s.Inconsistent),
	}
	for name, c := range s.Catalogs {
		e.Catalogs[name] = encodeCatalog(c)
	}
	raw, err := metadata.Encode(e)
	if err != nil {
		return nil, fmt.Errorf("encode the snapshot: %w", err)
	}
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	return z.EncodeAll(raw, nil), z.Close()
}

// Decode is the inverse of Encode.
func Decode(data []byte) (*Snapshot, error) {
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	raw, err := z.DecodeAll(data, nil)
	if err != nil {
		return nil, fmt.Errorf("decompress the snapshot: %w", err)
	}
	var e encoded
	if err := json.Unmarshal(raw, &e); err != nil {
		return nil, fmt.Errorf("decode the snapshot: %w", err)
	}
	if e.Document == nil {
		return nil, errors.New("decode the snapshot: it has no metadata")
	}
	s := &Snapshot{
		StreamID:     e.StreamID,
		Version:      e.Version,
		Document:     e.Document,
		Catalogs:     make(map[string]*catalog.Source, len(e.Catalogs)),
		SourceErrors: e.SourceErrors,
		Remotes:      e.Remotes,
		RemoteErrors: e.RemoteErrors,
		Inconsistent: decodeInconsistent(e.Inconsistent),
	}
	for name, c := range e.Catalogs {
		s.Catalogs[name] = c.decode()
	}
	return s, nil
}

func encodeCatalog(c *catalog.Source) *encodedCatalog {
	e := &encodedCatalog{catalogHead: headOf(c), Tables: []*catalog.Table{}}
	for _, name := range sortedNames(c.Tables) {
		e.Tables = append(e.Tables, c.Tables[name])
	}
	for _, name := range sortedNames(c.Functions) {
		e.Functions = append(e.Functions, c.Functions[name]...)
	}
	for _, name := range sortedNames(c.Enums) {
		e.Enums = append(e.Enums, encodedEnum{name, c.Enums[name]})
	}
	return e
}

func (e *encodedCatalog) decode() *catalog.Source {
	c := &catalog.Source{
		Version:    e.Version,
		Extensions: e.Extensions,
		Tables:     make(map[catalog.Name]*catalog.Table, len(e.Tables)),
		Functions:  make(map[catalog.Name][]*catalog.Function, len(e.Functions)),
		Enums:      make(map[catalog.Name][]catalog.EnumValue, len(e.Enums)),
	}
	for _, t := range e.Tables {
		c.Tables[t.Name] = t
	}
	for _, f := range e.Functions {
		c.Functions[f.Name] = append(c.Functions[f.Name], f)
	}
	for _, enum := range e.Enums {
		c.Enums[enum.Table] = enum.Values
	}
	return c
}
