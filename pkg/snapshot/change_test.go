package snapshot

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/metadata"
)

func TestChangesLeadFromSnapshotToSnapshot(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	s := initial(8)
	applied := s
	for range 400 {
		next := mutate(r, s)
		change, err := Diff(s, next, at)
		require.NoError(t, err)
		change = overTheWire(t, change)
		applied, err = applied.Apply(change)
		require.NoError(t, err)
		requireSame(t, next, applied)
		s = next
	}
}

func TestDiffFromNothingHoldsAll(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	s := initial(5)
	for range 40 {
		s = mutate(r, s)
	}
	change, err := Diff(nil, s, at)
	require.NoError(t, err)
	rebuilt, err := (&Snapshot{Document: metadata.Empty()}).Overlay(overTheWire(t, change))
	require.NoError(t, err)
	requireSame(t, s, rebuilt)
}

func TestChangeNamesOnlyWhatChanged(t *testing.T) {
	t.Parallel()
	s := initial(3)
	next := *s
	next.Version = 2
	doc, source := *s.Document, *s.Document.Sources[0]
	source.Tables = []*metadata.Table{source.Tables[0], table(1, "second"), table(2, "first")}
	doc.Sources = []*metadata.Source{&source}
	next.Document = &doc

	change, err := Diff(s, &next, at)
	require.NoError(t, err)
	raw, err := json.Marshal(change)
	require.NoError(t, err)
	require.JSONEq(t, `{"stream_id":"stream","version":2,"base":1,"at":"2015-01-02T03:04:05Z","objects":[
		{"kind":"table","source":"default","schema":"public","name":"t0001","op":"set","value":{
			"table":{"name":"t0001","schema":"public"},
			"object_relationships":[{"name":"parent","using":{"foreign_key_constraint_on":"parent_id"},"comment":"second"}],
			"select_permissions":[{"role":"clerk","permission":{"columns":"*","filter":{"id":{"_eq":"X-Engine-User-Id"}}}}]}}]}`, string(raw))

	after, err := s.Apply(change)
	require.NoError(t, err)
	require.Same(t, s.Document.Sources[0].Tables[0], after.Document.Sources[0].Tables[0])
	require.Same(t, s.Catalogs["default"], after.Catalogs["default"])
}

func TestApplyRefusesWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	s := initial(1)
	for _, c := range []*Change{
		{StreamID: "stream", Version: 3, Base: 2},
		{StreamID: "other", Version: 2, Base: 1},
	} {
		_, err := s.Apply(c)
		require.ErrorIs(t, err, ErrGap)
	}
	_, err := s.Apply(&Change{StreamID: "stream", Version: 2, Base: 1, Reference: true})
	require.ErrorIs(t, err, ErrTooLarge)
	_, err = s.Apply(&Change{StreamID: "stream", Version: 2, Base: 1, Objects: []Object{
		{Kind: KindTable, Source: "default", Name: "t", Op: OpSet, Value: json.RawMessage(`[]`)},
	}})
	require.ErrorContains(t, err, "set table t in change 2")
}

func TestSnapshotsSurviveEncoding(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	s := initial(6)
	for range 60 {
		s = mutate(r, s)
	}
	data, err := Encode(s)
	require.NoError(t, err)
	decoded, err := Decode(data)
	require.NoError(t, err)
	requireSame(t, s, decoded)

	_, err = Decode(data[:len(data)/2])
	require.ErrorContains(t, err, "decompress the snapshot")
}

func overTheWire(t *testing.T, c *Change) *Change {
	t.Helper()
	raw, err := json.Marshal(c)
	require.NoError(t, err)
	decoded, err := DecodeChange(raw)
	require.NoError(t, err)
	return decoded
}

// requireSame compares two snapshots by all that they hold.
func requireSame(t *testing.T, want, got *Snapshot) {
	t.Helper()
	require.Equal(t, want.StreamID, got.StreamID)
	require.Equal(t, want.Version, got.Version)
	a, err := Diff(nil, want, at)
	require.NoError(t, err)
	b, err := Diff(nil, got, at)
	require.NoError(t, err)
	require.Len(t, b.Objects, len(a.Objects))
	for i := range a.Objects {
		require.Equal(t, a.Objects[i].Name, b.Objects[i].Name)
		require.JSONEq(t, string(a.Objects[i].Value), string(b.Objects[i].Value), a.Objects[i].Name)
	}
}

func BenchmarkOneTableOf1000(b *testing.B) {
	s := initial(1000)
	next := *s
	next.Version = 2
	doc, source := *s.Document, *s.Document.Sources[0]
	source.Tables = append([]*metadata.Table{table(0, "second")}, source.Tables[1:]...)
	doc.Sources = []*metadata.Source{&source}
	next.Document = &doc
	for b.Loop() {
		change, err := Diff(s, &next, at)
		require.NoError(b, err)
		_, err = s.Apply(change)
		require.NoError(b, err)
	}
}

func BenchmarkEncode1000(b *testing.B) {
	s := initial(1000)
	for b.Loop() {
		data, err := Encode(s)
		require.NoError(b, err)
		b.SetBytes(int64(len(data)))
	}
}

func BenchmarkDecode1000(b *testing.B) {
	data, err := Encode(initial(1000))
	require.NoError(b, err)
	for b.Loop() {
		_, err := Decode(data)
		require.NoError(b, err)
	}
}
