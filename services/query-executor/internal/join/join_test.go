package join_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/services/query-executor/internal/join"
)

// recorder answers the key a,b with "a|b", or with what make makes of it, and remembers what
// it got.
type recorder struct {
	mu    sync.Mutex
	asked []string
	make  func(target int, key string) string
	err   error
	short bool
}

func (r *recorder) Ask(_ context.Context, target int, keys join.Keys) ([][]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	texts := make([]string, keys.Len())
	answers := make([][]byte, keys.Len())
	for i := range keys.Len() {
		texts[i] = string(bytes.Join(keys.Key(i), []byte("|")))
		answers[i] = []byte("<" + texts[i] + ">")
		if r.make != nil {
			answers[i] = []byte(r.make(target, texts[i]))
		}
	}
	r.asked = append(r.asked, fmt.Sprintf("%d: %s", target, strings.Join(texts, " ")))
	if r.short {
		answers = answers[1:]
	}
	return answers, r.err
}

func written(t *testing.T, answer string, members []join.Member, r *recorder) string {
	t.Helper()
	out := backend.NewAnswer(nil, nil, 0)
	require.NoError(t, join.Write(t.Context(), []byte(answer), members, r, out))
	return string(out.Buf)
}

// one is a member whose value is its own key.
func one(key string, target int, below ...join.Member) join.Member {
	return join.Member{Key: key, Join: &join.Join{Parts: 1, Target: target, Below: below}}
}

func TestJoinsAtAnyDepthOfLists(t *testing.T) {
	t.Parallel()
	r := &recorder{}
	members := []join.Member{{Key: "a", Below: []join.Member{one("k", 0)}}}
	require.Equal(t, `{"z":{"k":1},"a":[[{"k":<1>,"b":2}],{ "c":"k" , "k" :<"x">},null,{"k":null},{"k":<1>}]}`,
		written(t, `{"z":{"k":1},"a":[[{"k":1,"b":2}],{ "c":"k" , "k" :"x"},null,{"k":null},{"k":1}]}`, members, r))
	require.Equal(t, []string{`0: 1 "x"`}, r.asked)
}

func TestAnswersInPlaceOfObjects(t *testing.T) {
	t.Parallel()
	r := &recorder{}
	whole := one("k", 0)
	whole.Whole, whole.Join.Parts = true, 2
	other := one("o", 1)
	other.Whole = true
	members := []join.Member{whole, {Key: "l", Hidden: true}, other}
	require.Equal(t, `[<1|2>, <3>,null ,<1|2>,{},null]`,
		written(t, `[{"k":1,"l":2}, {"o": 3},{"l":null, "k":1} ,{"l":2,"k":1},{},null]`, members, r))
	require.ElementsMatch(t, []string{`0: 1|2`, `1: 3`}, r.asked)
}

func TestHiddenMembersLeaveNoComma(t *testing.T) {
	t.Parallel()
	hidden := func(key string) join.Member { return join.Member{Key: key, Hidden: true} }
	members := []join.Member{{Key: "j", Join: &join.Join{Parts: 3}}, hidden("?1"), hidden("?2")}
	for _, c := range []struct{ answer, want string }{
		{`{"j":1,"?1":2,"?2":3}`, `{"j":<1|2|3>}`},
		{`{"a":0, "j" : 1, "?1" : 2, "?2" : 3, "b":4}`, `{"a":0, "j" : <1|2|3>, "b":4}`},
		{`{"?1":2,"j":1,"?2":3}`, `{"j":<1|2|3>}`},
		{`{"?1":2,"?2":3,"j":1}`, `{"j":<1|2|3>}`},
		{`{"?1":2,"?2":3}`, `{}`},
		{`{"?1":2,"a":0,"?2":3,"j":1}`, `{"a":0,"j":<1|2|3>}`},
		{`{"j":1,"?1":null,"?2":3}`, `{"j":null}`},
		{`{"j":1,"?1":2}`, `{"j":null}`},                          // a part that isn't there
		{`{"j":1,"?1":2,"?2":3,"j":4}`, `{"j":null,"j":<4|2|3>}`}, // a key that is there twice
		{`[]`, `[]`},
	} {
		require.Equal(t, c.want, written(t, c.answer, members, &recorder{}), c.answer)
	}
}

func TestKeysWithoutParts(t *testing.T) {
	t.Parallel()
	r := &recorder{make: func(int, string) string { return `"all"` }}
	members := []join.Member{{Key: "j", Join: &join.Join{}}}
	require.Equal(t, `[{"j":"all"},{"j":"all"}]`, written(t, `[{"j":"x"},{"j":null}]`, members, r))
	require.Equal(t, []string{"0: "}, r.asked)
}

func TestJoinsInJoins(t *testing.T) {
	t.Parallel()
	r := &recorder{make: func(target int, key string) string {
		if target == 0 {
			return `[{"id":` + key + `,"to":7},{"to":` + key + `}]`
		}
		return `{"n":` + key + `}`
	}}
	members := []join.Member{one("j", 0, one("to", 1))}
	require.Equal(t,
		`[{"j":[{"id":1,"to":{"n":7}},{"to":{"n":1}}]},{"j":[{"id":2,"to":{"n":7}},{"to":{"n":2}}]},{"j":[{"id":1,"to":{"n":7}},{"to":{"n":1}}]}]`,
		written(t, `[{"j":1},{"j":2},{"j":1}]`, members, r))
	require.Equal(t, []string{"0: 1 2", "1: 7 1 2"}, r.asked)
}

func TestNobodyIsAskedForNothing(t *testing.T) {
	t.Parallel()
	r := &recorder{}
	require.Equal(t, `[{"j":null}]`, written(t, `[{"j":null}]`, []join.Member{one("j", 0, one("k", 1))}, r))
	require.Empty(t, r.asked)
}

func TestManyKeysAreAskedInChunks(t *testing.T) {
	t.Parallel()
	const rows = 25_000
	text := make([]string, rows)
	for i := range text {
		text[i] = fmt.Sprintf(`{"j":%d}`, i)
	}
	r := &recorder{make: func(_ int, key string) string { return "-" + key }}
	answer := "[" + strings.Join(text, ",") + "]"
	require.Equal(t, strings.ReplaceAll(answer, ":", ":-"), written(t, answer, []join.Member{one("j", 0)}, r))
	require.Len(t, r.asked, 3)

	r = &recorder{make: func(int, string) string { return "0" }}
	long := `"` + strings.Repeat("x", 3<<20)
	require.Equal(t, `[{"j":0},{"j":0},{"j":0}]`, written(t, `[{"j":`+long+`1"},{"j":`+long+`2"},{"j":`+long+`3"}]`, []join.Member{one("j", 0)}, r))
	require.Len(t, r.asked, 2)
}

func TestFaults(t *testing.T) {
	t.Parallel()
	members := []join.Member{one("a", 0), one("b", 1)}
	write := func(answer string, r *recorder) error {
		return join.Write(t.Context(), []byte(answer), members, r, backend.NewAnswer(nil, nil, 0))
	}
	broken := errors.New("broken")
	require.ErrorIs(t, write(`{"a":1,"b":2}`, &recorder{err: broken}), broken)
	require.ErrorContains(t, write(`{"a":1}`, &recorder{short: true}), "1 keys have 0 answers")
	require.ErrorContains(t, write(`{"a":1`, &recorder{}), "malformed")
	require.ErrorContains(t, write(`{"a":1}}`, &recorder{}), "malformed")
}

// held waits in Ask until its context ends.
type held struct{ asked chan struct{} }

func (h held) Ask(ctx context.Context, _ int, _ join.Keys) ([][]byte, error) {
	h.asked <- struct{}{}
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	h := held{make(chan struct{}, 6)}
	var members []join.Member
	for _, key := range []string{"a", "b", "c", "d", "e", "f"} {
		members = append(members, one(key, 0))
	}
	failed := make(chan error, 1)
	go func() {
		failed <- join.Write(ctx, []byte(`{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1}`), members, h, backend.NewAnswer(nil, nil, 0))
	}()
	for range 4 {
		<-h.asked // that many are in flight at the same time, and no more
	}
	cancel()
	require.ErrorIs(t, <-failed, context.Canceled)
	require.Empty(t, h.asked)
}

func TestFramesAreHandedOn(t *testing.T) {
	t.Parallel()
	var frames bytes.Buffer
	out := backend.NewAnswer(nil, &frames, 64)
	answer := "[" + strings.Repeat(`{"j":1},`, 99) + `{"j":1}]`
	require.NoError(t, join.Write(t.Context(), []byte(answer), []join.Member{one("j", 0)}, &recorder{}, out))
	require.Positive(t, out.Sent())
	require.NoError(t, out.Close())
	require.Equal(t, strings.ReplaceAll(answer, "1", "<1>"), frames.String())
}

func FuzzWrite(f *testing.F) {
	for _, seed := range []string{`[{"j":1,"?":2},{"?":2,"j":{"j":1}}]`, `{"j":"a\"","b":{"j":[]}}`, `{"j":1,"j":2,"?":3,}`, `[[{"?":1}],null]`} {
		f.Add([]byte(seed))
	}
	members := []join.Member{
		{Key: "j", Join: &join.Join{Parts: 2, Below: []join.Member{one("j", 1)}}},
		{Key: "?", Hidden: true},
		{Key: "b", Below: []join.Member{one("j", 1)}},
	}
	f.Fuzz(func(t *testing.T, answer []byte) {
		r := &recorder{make: func(int, string) string { return `{"j":1}` }}
		_ = join.Write(t.Context(), answer, members, r, backend.NewAnswer(nil, nil, 0)) // any error, but no panic
	})
}

func BenchmarkWrite(b *testing.B) {
	var answer strings.Builder
	answer.WriteByte('[')
	for i := range 1000 {
		fmt.Fprintf(&answer, `{"id":%d,"name":"row number %d","customer":%d,"amount":%d.50}, `, i, i, i%700, i)
	}
	answer.WriteString(`{"customer":1}]`)
	text := []byte(answer.String())
	members := []join.Member{one("customer", 0)}
	r := answers{}
	out := backend.NewAnswer(nil, nil, 0)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		out.Buf = out.Buf[:0]
		if err := join.Write(b.Context(), text, members, r, out); err != nil {
			b.Fatal(err)
		}
	}
}

// answers gives every key the same answer.
type answers struct{}

func (answers) Ask(_ context.Context, _ int, keys join.Keys) ([][]byte, error) {
	list := make([][]byte, keys.Len())
	for i := range list {
		list[i] = []byte(`{"name":"somebody","code":"C1"}`)
	}
	return list, nil
}
