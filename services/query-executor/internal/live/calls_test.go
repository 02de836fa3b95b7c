package live

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/telemetry"
	queryv1 "queryengine/proto/query/v1"
)

// callLog is a CallLog in memory.
type callLog struct {
	mu    sync.Mutex
	over  map[string]bool
	ended func(ids []string)
	deaf  bool
}

func (l *callLog) Finished(_ context.Context, ids []string) ([]string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !l.over[id] }), nil
}

func (l *callLog) Watch(ended func(ids []string)) (stop func(), err error) {
	if l.deaf {
		return nil, errors.New("nothing is heard")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = ended
	return func() {}, nil
}

// end ends a call; told reports whether watchers are notified.
func (l *callLog) end(id string, told bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over[id] = true
	if told {
		l.ended([]string{id})
	}
}

// listener is a link whose results can be waited for.
type listener struct {
	t       *testing.T
	manager *Manager
	results chan *queryv1.LiveResult
}

func listen(t *testing.T, log *callLog, interval time.Duration) *listener {
	t.Helper()
	m := New(Deps{Queries: Options{Interval: interval}, Calls: log, Version: func(any) int64 { return 0 }, Metrics: NewMetrics(nil, false), Log: telemetry.Discard()})
	l, err := m.Open("g")
	require.NoError(t, err)
	out := &listener{t: t, manager: m, results: make(chan *queryv1.LiveResult, 100)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = l.Serve(context.Background(), func(p []byte) error {
			size, n := binary.Uvarint(p)
			r := &queryv1.LiveResult{}
			if err := proto.Unmarshal(p[n:n+int(size)], r); err != nil || len(r.GetSubscribers()) == 0 {
				return err
			}
			out.results <- r
			return nil
		}, func() error { return nil })
	}()
	t.Cleanup(func() {
		m.Close()
		<-done
	})
	return out
}

// next is the next result, in words.
func (l *listener) next() string {
	l.t.Helper()
	select {
	case r := <-l.results:
		text := strconv.FormatUint(r.GetSubscribers()[0], 10) + " " + string(r.GetData())
		if e := r.GetError(); e != nil {
			text += e.GetMessage()
		}
		if r.GetEnd() {
			text += "end"
		}
		return text
	case <-time.After(20 * time.Second):
		require.Fail(l.t, "nothing was reported")
		return ""
	}
}

// value is an answer that the test changes.
type value struct {
	mu   sync.Mutex
	text string
	err  error
}

func (v *value) set(text string, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.text, v.err = text, err
}

func (v *value) answer(context.Context) ([]byte, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return []byte(v.text), v.err
}

func TestCallsAreAnsweredUntilTheyEnd(t *testing.T) {
	t.Parallel()
	for name, told := range map[string]bool{"told": true, "polled": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			interval := time.Hour
			if !told {
				interval = 10 * time.Millisecond
			}
			log := &callLog{over: map[string]bool{}, deaf: !told}
			l := listen(t, log, interval)
			v := &value{text: "open"}
			calls := &Calls{IDs: []string{"a"}, Answer: v.answer}
			require.NoError(t, l.manager.Join("g", 1, Subscription{Calls: calls}))
			require.Equal(t, "1 open", l.next())
			v.set("over", nil)
			log.end("a", told)
			require.Equal(t, "1 over", l.next())
			require.Equal(t, "1 end", l.next())
			// A later subscriber receives it once; one that has it already receives only the end.
			require.NoError(t, l.manager.Join("g", 2, Subscription{Calls: calls}))
			require.Equal(t, "2 over", l.next())
			require.Equal(t, "2 end", l.next())
			v.set("", apierror.New(apierror.Unexpected, "no call"))
			require.NoError(t, l.manager.Join("g", 3, Subscription{Calls: calls}))
			require.Equal(t, "3 no callend", l.next())
			require.Empty(t, l.results)
		})
	}
}

// TestEndsWhileAnswersAreMade holds that the answer with the outcome comes before the end.
func TestEndsWhileAnswersAreMade(t *testing.T) {
	t.Parallel()
	log := &callLog{over: map[string]bool{}}
	l := listen(t, log, time.Hour)
	answers := make(chan string, 2)
	asked := make(chan struct{}, 2)
	calls := &Calls{IDs: []string{"a"}, Answer: func(ctx context.Context) ([]byte, error) {
		asked <- struct{}{}
		select {
		case text := <-answers:
			return []byte(text), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}
	require.NoError(t, l.manager.Join("g", 1, Subscription{Calls: calls}))
	<-asked
	log.end("a", true)
	require.Eventually(t, func() bool {
		w := l.manager.calls
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, entry := range w.watching {
			return len(entry.open) == 0
		}
		return false
	}, 30*time.Second, time.Millisecond, "the end is noted while the answer is being made")
	answers <- "open"
	require.Equal(t, "1 open", l.next())
	answers <- "over"
	require.Equal(t, "1 over", l.next())
	require.Equal(t, "1 end", l.next())
}

func TestLastingCallsGoOn(t *testing.T) {
	t.Parallel()
	log := &callLog{over: map[string]bool{}}
	l := listen(t, log, 10*time.Millisecond)
	v := &value{text: "open"}
	plan := new(int)
	require.NoError(t, l.manager.Join("g", 1, Subscription{Plan: plan, Calls: &Calls{IDs: []string{"a"}, Lasting: true, Answer: v.answer}}))
	require.Equal(t, "1 open", l.next())
	v.set("unseen", nil) // nothing looks before the end
	log.end("a", true)
	require.Equal(t, "1 unseen", l.next())
	v.set("changed", nil)
	require.Equal(t, "1 changed", l.next())
	v.set("", apierror.New(apierror.PostgresError, "down"))
	require.Equal(t, "1 down", l.next())
	v.set("changed", nil)
	for text := l.next(); text != "1 changed"; text = l.next() {
		require.Equal(t, "1 down", text)
	}

	// A subscription that is planned again continues with what it has seen.
	stale := l.manager.Stale(func(p any) bool { return p != any(plan) })
	require.Len(t, stale, 1)
	l.manager.Rejoin(stale[0], Subscription{Calls: &Calls{IDs: []string{"a"}, Lasting: true, Answer: v.answer}})
	v.set("again", nil)
	require.Equal(t, "1 again", l.next())
	l.manager.Leave("g", []uint64{1})
	require.Empty(t, l.manager.calls.watching)
}
