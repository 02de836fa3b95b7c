package queryv1

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// fill sets fields of a message at random, also those that were added to the .proto and are unknown to this test.
func fill(random *rand.Rand, m protoreflect.Message, all bool) {
	scalar := func(f protoreflect.FieldDescriptor) protoreflect.Value {
		text := strings.Repeat("é", random.IntN(200))
		switch f.Kind() {
		case protoreflect.StringKind:
			return protoreflect.ValueOfString(text + "x")
		case protoreflect.BytesKind:
			return protoreflect.ValueOfBytes([]byte(text + "\xff"))
		case protoreflect.BoolKind:
			return protoreflect.ValueOfBool(true)
		case protoreflect.Int64Kind:
			return protoreflect.ValueOfInt64(int64(random.Uint64()>>random.IntN(64)) | 1) //nolint:gosec // any number
		}
		panic("a field of a kind that no request had: " + f.FullName())
	}
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		if !all && random.IntN(2) == 0 {
			continue
		}
		switch {
		case f.IsMap():
			for range random.IntN(4) + 1 {
				m.Mutable(f).Map().Set(scalar(f.MapKey()).MapKey(), scalar(f.MapValue()))
			}
			if !all {
				m.Mutable(f).Map().Set(protoreflect.ValueOfString("").MapKey(), protoreflect.ValueOfString(""))
			}
		case f.Message() != nil:
			fill(random, m.Mutable(f).Message(), all)
		default:
			m.Set(f, scalar(f))
		}
	}
}

// TestWireIsThatOfTheProto holds what is written and read here to the .proto, with all fields that it has.
func TestWireIsThatOfTheProto(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same requests each time
	for i := range 2000 {
		want := &ExecuteRequest{}
		fill(random, want.ProtoReflect(), i%2 == 0)
		b, ok := want.AppendWire([]byte("before"))
		require.True(t, ok)
		require.Equal(t, "before", string(b[:6]))
		require.Len(t, b[6:], proto.Size(want))
		read := &ExecuteRequest{}
		require.NoError(t, proto.Unmarshal(b[6:], read))
		require.True(t, proto.Equal(want, read), "%v\n%v", want, read)

		b, err := proto.Marshal(want)
		require.NoError(t, err)
		read = &ExecuteRequest{}
		require.True(t, read.ReadWire(b))
		require.True(t, proto.Equal(want, read), "%v\n%v", want, read)
	}
	b, ok := (&ExecuteRequest{Session: &Session{}}).AppendWire(nil)
	require.True(t, ok)
	require.Equal(t, []byte{10, 0}, b, "an empty session isn't none")
}

func TestWireLeavesTheRest(t *testing.T) {
	t.Parallel()
	const bad = "\xff"
	for name, m := range map[string]*ExecuteRequest{
		"query":    {Query: bad},
		"name":     {OperationName: bad},
		"id":       {RequestId: bad},
		"header":   {ClientHeaders: map[string]string{"a": bad}},
		"role":     {Session: &Session{Role: bad}},
		"variable": {Session: &Session{Variables: map[string]string{bad: "a"}}},
	} {
		_, ok := m.AppendWire(nil)
		require.False(t, ok, "%s: proto.Marshal refuses it", name)
	}

	later := protowire.AppendVarint(protowire.AppendTag(nil, 1000, protowire.VarintType), 1)
	require.False(t, (&ExecuteRequest{}).ReadWire(later))
	m := &ExecuteRequest{}
	require.NoError(t, proto.Unmarshal(later, m))
	_, ok := m.AppendWire(nil)
	require.False(t, ok, "a field of a later version would be lost")
	m = &ExecuteRequest{Session: &Session{}}
	require.NoError(t, proto.Unmarshal(later, m.Session))
	_, ok = m.AppendWire(nil)
	require.False(t, ok)
	require.False(t, (&ExecuteRequest{}).ReadWire([]byte{10, 0, 10, 0}), "proto.Unmarshal joins two sessions")
}

// FuzzReadWire holds that what is read from any bytes is what proto.Unmarshal reads.
func FuzzReadWire(f *testing.F) {
	random := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // the same seeds each time
	for i := range 20 {
		m := &ExecuteRequest{}
		fill(random, m.ProtoReflect(), i%2 == 0)
		b, err := proto.Marshal(m)
		require.NoError(f, err)
		f.Add(b)
		f.Add(b[:len(b)-1])
	}
	f.Add([]byte{18, 1, 255})
	f.Fuzz(func(t *testing.T, b []byte) {
		have, want := &ExecuteRequest{}, &ExecuteRequest{}
		if !have.ReadWire(b) {
			return
		}
		require.NoError(t, proto.Unmarshal(b, want))
		require.True(t, proto.Equal(want, have))
	})
}
