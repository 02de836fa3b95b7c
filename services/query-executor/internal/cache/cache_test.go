package cache

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/telemetry"
	queryv1 "queryengine/proto/query/v1"
)

func TestKeys(t *testing.T) {
	t.Parallel()
	base := func() *Request {
		return &Request{
			Role: "r", Schema: "s", Query: "query a { b }", Operation: "a", Plan: []string{"p"},
			Variables: [][]byte{[]byte("1"), nil}, Session: map[string]string{"x-engine-a": "1", "x-engine-b": "2"},
		}
	}
	want := KeyOf(base())
	require.Len(t, want.Key, 64)
	require.Equal(t, want, KeyOf(base()))
	for name, c := range map[string]struct {
		edit       func(*Request)
		sameFamily bool
	}{
		"role":             {edit: func(r *Request) { r.Role = "q" }},
		"schema":           {edit: func(r *Request) { r.Schema = "" }},
		"query":            {edit: func(r *Request) { r.Query = "query a { c }" }},
		"operation":        {edit: func(r *Request) { r.Operation = "" }},
		"plan":             {edit: func(r *Request) { r.Plan = []string{"q"} }},
		"borders":          {edit: func(r *Request) { r.Role, r.Schema = "rs", "" }},
		"variable":         {func(r *Request) { r.Variables[0] = []byte("2") }, true},
		"variables moved":  {func(r *Request) { r.Variables[0], r.Variables[1] = r.Variables[1], r.Variables[0] }, true},
		"no value":         {func(r *Request) { r.Variables[1] = []byte{} }, true},
		"session value":    {func(r *Request) { r.Session["x-engine-a"] = "2" }, true},
		"header":           {func(r *Request) { r.Headers = map[string]string{"a": "b"} }, true},
		"session variable": {func(r *Request) { delete(r.Session, "x-engine-b") }, true},
	} {
		r := base()
		c.edit(r)
		got := KeyOf(r)
		require.NotEqual(t, want.Key, got.Key, name)
		require.Equal(t, c.sameFamily, want.Family == got.Family, name)
	}
}

func TestBlanksThatMeanNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		same bool
		a, b string
	}{
		{true, "{ a(b: 1) { c } }", "\n{a( b:1 ){c}\t}\r\n"},
		{true, "query  q ($a : Int)", "query q($a:Int)"},
		{true, `{a(b:"x") c}`, `{ a ( b : "x" ) c }`},
		{true, "query q @cached(ttl: 5, refresh: true) { a }", "query q { a }"},
		{true, "query @cached\n( ttl : $t ) @x { a }", "query @x{a}"},
		{true, `query @cached(x: ")") { a }`, "query { a }"},
		{false, "query @cachedx { a }", "query { a }"},
		{false, `{ a(b: "@cached") }`, `{ a(b: "") }`},
		{false, "{ a b }", "{ ab }"},
		{false, `{ a(b: "x y") }`, `{ a(b: "xy") }`},
		{false, `{ a(b: "\" x") }`, `{ a(b: "\"x") }`},
		{false, `{ a(b: """x  y""") }`, `{ a(b: """x y""") }`},
		{false, `{ a(b: ["" "c"]) }`, `{ a(b: ["""c"]) }`},
		{false, "{ a # b\n c }", "{ a # b c }\n"},
		{false, "{ a b: c }", "{ b: c a }"},
		{false, "{ a(b: [1 -1]) }", "{ a(b: [1-1]) }"},
	} {
		require.Equal(t, c.same, normal(c.a) == normal(c.b), "%s\n%s", c.a, c.b)
	}
}

func FuzzBlanks(f *testing.F) {
	for _, s := range []string{`{ a }`, `"""`, `"\`, "#", `{ a(b: """x \""" y""") }`, `query @cached(a: ")") {`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, query string) {
		once := normal(query)
		require.LessOrEqual(t, len(once), len(query))
		require.Equal(t, once, normal(once))
	})
}

func TestBudget(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	b := newBudget(15_000_000, now)
	require.True(t, b.take(15_000_000, now))
	require.False(t, b.take(1, now))
	now = now.Add(time.Second)
	require.False(t, b.take(10_000_001, now))
	require.True(t, b.take(10_000_000, now))
	now = now.Add(time.Hour)
	require.True(t, b.take(15_000_000, now))
	require.False(t, b.take(1, now), "it holds no more than its capacity")
}

// fakeStore is a store that fails when a test says so.
type fakeStore struct {
	Store
	err  error
	body []byte
	ttl  time.Duration
}

func (s *fakeStore) Put(_ context.Context, _, _ string, body []byte, ttl time.Duration) error {
	s.body, s.ttl = body, ttl
	return s.err
}

func TestWhatIsNotStored(t *testing.T) {
	t.Parallel()
	s := &fakeStore{}
	c := New(Config{MaxTTL: time.Minute, MaxEntry: 10, Budget: 15}, s, telemetry.Discard())
	require.Equal(t, SizeExceeded, c.Put(t.Context(), Key{}, make([]byte, 11), time.Second))
	require.Nil(t, s.body)
	require.Equal(t, NoWarning, c.Put(t.Context(), Key{}, make([]byte, 10), time.Second))
	require.Len(t, s.body, 10)
	s.err = errors.New("out of order")
	require.Equal(t, StoreFailed, c.Put(t.Context(), Key{}, make([]byte, 1), time.Second))
	require.Equal(t, [4]time.Duration{0, 0, time.Second, time.Minute}, [4]time.Duration{c.TTL(-1), c.TTL(0), c.TTL(1), c.TTL(1 << 40)})
}

func TestBudgetIsUsedUp(t *testing.T) {
	t.Parallel()
	c := New(Config{MaxTTL: time.Minute, MaxEntry: 1 << 30, Budget: 1 << 29}, &fakeStore{}, telemetry.Discard())
	require.Equal(t, CapacityExceeded, c.Put(t.Context(), Key{}, make([]byte, 1<<29+1), time.Second))
}

// record is a Writer that keeps what it gets.
type record struct {
	head *queryv1.ExecuteHead
	body strings.Builder
}

func (r *record) SetHead(m proto.Message)     { r.head, _ = m.(*queryv1.ExecuteHead) }
func (r *record) Write(p []byte) (int, error) { return r.body.Write(p) }
func (r *record) header(name string) (value string) {
	for _, h := range r.head.GetHeaders() {
		if h.GetName() == name {
			value = h.GetValue()
		}
	}
	return value
}

func TestResponder(t *testing.T) {
	t.Parallel()
	write := func(r *Responder, s string) {
		_, err := r.Write([]byte(s))
		require.NoError(t, err)
	}
	to := &record{}
	r := &Responder{To: to}
	write(r, "plain")
	require.Equal(t, "plain", to.body.String())
	require.Nil(t, to.head)

	c := New(Config{MaxEntry: 4}, nil, telemetry.Discard())
	to = &record{}
	r = &Responder{To: to}
	r.Hold(Key{Key: "k", Family: "f"}, c)
	write(r, "ab")
	write(r, "cd")
	body, whole := r.Held()
	require.True(t, whole)
	require.Equal(t, "abcd", string(body))
	require.Empty(t, to.body.String())
	require.NoError(t, r.Release(NoWarning, 1500*time.Millisecond))
	require.Equal(t, "abcd", to.body.String())
	require.Equal(t, [4]string{"k", "f", "max-age=2", ""}, [4]string{
		to.header("X-Engine-Query-Cache-Key"), to.header("X-Engine-Query-Family-Cache-Key"), to.header("Cache-Control"), to.header("Warning"),
	})

	to = &record{}
	r = &Responder{To: to}
	r.Hold(Key{Key: "k", Family: "f"}, c)
	write(r, "abc")
	write(r, "de")
	write(r, "f")
	_, whole = r.Held()
	require.False(t, whole)
	require.Equal(t, "abcdef", to.body.String())
	require.Equal(t, string(SizeExceeded), to.header("Warning"))
	require.Empty(t, to.header("Cache-Control"))
	require.Zero(t, c.held.Load())

	// However many requests there are, what they hold back is bounded.
	full := make([]*Responder, heldEntries+1)
	for i := range full {
		full[i] = &Responder{To: &record{}}
		full[i].Hold(Key{}, c)
		write(full[i], "abcd")
		_, whole = full[i].Held()
		require.Equal(t, i < heldEntries, whole)
	}
	for _, r := range full {
		r.Drop()
	}
	require.Zero(t, c.held.Load())
}
