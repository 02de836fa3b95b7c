package live

import (
	"context"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
)

// TestFaultsOfCallsAreTheirOwn: subscriptions about calls of actions share a look at the log. Whatever the answers of some do, the others come.
func TestFaultsOfCallsAreTheirOwn(t *testing.T) {
	t.Parallel()
	const faulty = 2 * statements
	for name, answer := range map[string]func(ctx context.Context) ([]byte, error){
		"fails": func(context.Context) ([]byte, error) { return nil, apierror.New(apierror.PostgresError, "down") },
		"hangs": func(ctx context.Context) ([]byte, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		},
		"panics":        func(context.Context) ([]byte, error) { panic("unforeseen") },
		"sends nothing": func(context.Context) ([]byte, error) { return nil, nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := &callLog{over: map[string]bool{}}
			l := listen(t, log, 10*time.Millisecond)
			for id := range uint64(faulty) {
				require.NoError(t, l.manager.Join("g", 100+id, Subscription{Calls: &Calls{IDs: []string{"b"}, Lasting: true, Answer: answer}}))
			}
			v := &value{text: "open"}
			require.NoError(t, l.manager.Join("g", 1, Subscription{Calls: &Calls{IDs: []string{"a"}, Answer: v.answer}}))
			var own []string
			await := func(want string) {
				t.Helper()
				for len(own) == 0 || own[len(own)-1] != want {
					if text := l.next(); text[:2] == "1 " {
						own = append(own, text)
					}
				}
			}
			await("1 open")
			l.manager.Leave("g", []uint64{100, 101}) // which are in the middle of it
			v.set("over", nil)
			log.end("a", true)
			await("1 end")
			require.Equal(t, []string{"1 open", "1 over", "1 end"}, own)
		})
	}
}

// hung is a source that answers nothing.
type hung struct{ *shelf }

func (hung) QueryStream(ctx context.Context, _ backend.LiveStatement, _ [][][]byte, _ func(int, [][]byte, []byte, backend.Snapshot)) error {
	<-ctx.Done()
	return ctx.Err()
}

func (h hung) QueryLive(ctx context.Context, s backend.LiveStatement, cohorts [][][]byte, _ func(int, [][]byte, []byte)) error {
	return h.QueryStream(ctx, s, cohorts, nil)
}

// TestHangingSourceLeavesStatementsToOthers: however many subscriptions a source doesn't answer, those of other sources have their results.
func TestHangingSourceLeavesStatementsToOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(1)
		l := newLibrary(t, s)
		l.manager.deps.Use = func(source string) (backend.LiveSource, func(), error) {
			if source == "hung" {
				return hung{s}, func() {}, nil
			}
			return s, func() {}, nil
		}
		l.link("g", func() {})
		for id := range uint64(3 * statements) {
			live := *shelfStream(s)
			live.Source, live.Tables = "hung", nil
			require.NoError(t, l.manager.Join("g", 100+id, Subscription{Role: strconv.FormatUint(id, 10), Live: &live, Values: [][]byte{[]byte("0"), []byte("7")}}))
		}
		time.Sleep(time.Second)
		tx := s.begin()
		tx.put(1, book{1, 7})
		tx.commit()
		r := l.join("g", 1, 7, 0)
		time.Sleep(2 * time.Second) // less than a statement of the other source may take
		require.True(t, slices.Equal([]int{1}, r.all()), r.all())
	})
}
