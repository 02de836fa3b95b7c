package pgoutput

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// encoder writes messages as the server does.
type encoder []byte

func (e encoder) byte(b byte) encoder       { return append(e, b) }
func (e encoder) uint16(n uint16) encoder   { return binary.BigEndian.AppendUint16(e, n) }
func (e encoder) uint32(n uint32) encoder   { return binary.BigEndian.AppendUint32(e, n) }
func (e encoder) uint64(n uint64) encoder   { return binary.BigEndian.AppendUint64(e, n) }
func (e encoder) string(s string) encoder   { return append(append(e, s...), 0) }
func (e encoder) tuple(vs ...Value) encoder { return e.uint16(uint16(len(vs))).values(vs) }

func (e encoder) values(vs []Value) encoder {
	for _, v := range vs {
		e = e.byte(byte(v.Kind))
		if v.Kind == Text || v.Kind == Binary {
			e = append(e.uint32(uint32(len(v.Text))), v.Text...)
		}
	}
	return e
}

func text(s string) Value { return Value{Kind: Text, Text: []byte(s)} }

// messages are one of each kind, with what they mean.
func messages() []struct {
	name string
	data encoder
	want Message
} {
	at := time.Date(2021, time.May, 6, 7, 8, 9, 123_000, time.UTC)
	micros := uint64(Micros(at))
	return []struct {
		name string
		data encoder
		want Message
	}{
		{"begin", encoder{'B'}.uint64(77).uint64(micros).uint32(5), Begin{Final: 77, Time: at, XID: 5}},
		{"commit", encoder{'C', 0}.uint64(77).uint64(99).uint64(micros), Commit{Commit: 77, End: 99, Time: at}},
		{"origin", encoder{'O'}.uint64(3).string("elsewhere"), Origin{Commit: 3, Name: "elsewhere"}},
		{
			"relation", encoder{'R'}.uint32(9).string("public").string("a b").byte('d').uint16(2).
				byte(1).string("id").uint32(23).uint32(0xffffffff).byte(0).string("n").uint32(1043).uint32(14),
			&Relation{ID: 9, Schema: "public", Name: "a b", Identity: IdentityDefault, Columns: []Column{
				{Name: "id", Key: true, Type: 23, Modifier: -1}, {Name: "n", Type: 1043, Modifier: 14},
			}},
		},
		{"no columns", encoder{'R'}.uint32(9).string("").string("t").byte('n').uint16(0), &Relation{ID: 9, Name: "t", Identity: IdentityNothing}},
		{"type", encoder{'Y'}.uint32(70000).string("s").string("mood"), Type{ID: 70000, Schema: "s", Name: "mood"}},
		{
			"insert", encoder{'I'}.uint32(9).byte('N').tuple(text("1"), Value{Kind: Null}, text("")),
			&Insert{Relation: 9, New: Tuple{text("1"), {Kind: Null}, text("")}},
		},
		{
			"update", encoder{'U'}.uint32(9).byte('N').tuple(text("1"), Value{Kind: Unchanged}),
			&Update{Relation: 9, New: Tuple{text("1"), {Kind: Unchanged}}},
		},
		{
			"update of the key", encoder{'U'}.uint32(9).byte('K').tuple(text("1")).byte('N').tuple(text("2")),
			&Update{Relation: 9, Old: &Old{Tuple: Tuple{text("1")}}, New: Tuple{text("2")}},
		},
		{
			"update with the whole row", encoder{'U'}.uint32(9).byte('O').tuple(text("1")).byte('N').tuple(text("2")),
			&Update{Relation: 9, Old: &Old{Whole: true, Tuple: Tuple{text("1")}}, New: Tuple{text("2")}},
		},
		{"delete", encoder{'D'}.uint32(9).byte('K').tuple(text("1")), &Delete{Relation: 9, Old: Old{Tuple: Tuple{text("1")}}}},
		{
			"truncate", encoder{'T'}.uint32(2).byte(3).uint32(9).uint32(10),
			&Truncate{Relations: []uint32{9, 10}, Cascade: true, RestartIdentity: true},
		},
	}
}

func TestDecode(t *testing.T) {
	t.Parallel()
	for _, c := range messages() {
		got, err := Decode(c.data)
		require.NoError(t, err, c.name)
		require.Equal(t, c.want, got, c.name)
	}
}

// TestDecodeRefusesDamage cuts and lengthens each message: none of that is a message.
func TestDecodeRefusesDamage(t *testing.T) {
	t.Parallel()
	for _, c := range messages() {
		for n := range c.data {
			_, err := Decode(c.data[:n])
			require.Error(t, err, "%s, %d bytes", c.name, n)
		}
		_, err := Decode(append(c.data, 0))
		require.Error(t, err, "%s and a byte", c.name)
	}
	for name, data := range map[string]encoder{
		"unknown message":   {'?'},
		"unknown value":     encoder{'I'}.uint32(9).byte('N').uint16(1).byte('?'),
		"no new row":        encoder{'I'}.uint32(9).byte('K').tuple(text("1")),
		"update of nothing": encoder{'U'}.uint32(9).byte('K').tuple(text("1")).byte('K').tuple(text("1")),
		"delete of new":     encoder{'D'}.uint32(9).byte('N').tuple(text("1")),
		"many tables":       encoder{'T'}.uint32(0xffffffff).byte(0).uint32(9),
		"many columns":      encoder{'I'}.uint32(9).byte('N').uint16(0xffff).byte('n'),
		"long value":        encoder{'I'}.uint32(9).byte('N').uint16(1).byte('t').uint32(0xffffffff).byte('x'),
	} {
		_, err := Decode(data)
		require.Error(t, err, name)
	}
}

func TestRelationOf(t *testing.T) {
	t.Parallel()
	for _, c := range messages() {
		got, ok := RelationOf(c.data)
		switch c.want.(type) {
		case *Insert, *Update, *Delete:
			require.True(t, ok, c.name)
			require.EqualValues(t, 9, got, c.name)
		default:
			require.False(t, ok, c.name)
		}
	}
}

func TestLSN(t *testing.T) {
	t.Parallel()
	require.Equal(t, "16/B374D848", LSN(0x16_b374d848).String())
	require.Equal(t, "0/0", LSN(0).String())
}

// FuzzDecode holds that no input makes the decoder panic or read past its message, and that it takes
// no more memory than a few times the message.
func FuzzDecode(f *testing.F) {
	for _, c := range messages() {
		f.Add([]byte(c.data))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Decode(data)
		if err != nil {
			require.Nil(t, m)
			return
		}
		size := func(tuple Tuple) (n int) {
			for _, v := range tuple {
				n += 1 + len(v.Text)
			}
			return n
		}
		switch m := m.(type) {
		case *Insert:
			require.LessOrEqual(t, size(m.New), len(data))
		case *Update:
			if m.Old != nil {
				require.LessOrEqual(t, size(m.Old.Tuple)+size(m.New), len(data))
			}
		case *Delete:
			require.LessOrEqual(t, size(m.Old.Tuple), len(data))
		case *Truncate:
			require.LessOrEqual(t, 4*len(m.Relations), len(data))
		case *Relation:
			require.LessOrEqual(t, 10*len(m.Columns), len(data))
		}
	})
}
