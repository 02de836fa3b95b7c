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

// TestFaultsOfAnswersAboutCallsAreTheirOwn: subscriptions about calls of actions share a look at the log. Whatever the answers of some do, the others come.
func TestFaultsOfAnswersAboutCallsAreTheirOwn(t *testing.T) {
	t.Parallel()
	const faulty = 2 * statements
	for name, answer := range map[string]func(ctx context.Context) ([]byte, error){
		"fails": func(context.Context) ([]byte, error) { return nil, apierror.New(apierror.PostgresError, "down") },
		"hangs": func(ctx context.Context) ([]byte, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		},
		"is slow": func(ctx context.Context) ([]byte, error) {
			select {
			case <-ctx.Done():
			case <-time.After(50 * time.Millisecond):
			}
			return []byte(time.Now().String()), ctx.Err()
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

// faultyShelf is a shelf whose statement has a fault where a cohort is of an owner from faultyOwner on.
type faultyShelf struct {
	*shelf
	fault string
}

const faultyOwner = 100

func (s faultyShelf) QueryStream(ctx context.Context, l backend.LiveStatement, cohorts [][][]byte, f func(int, [][]byte, []byte, backend.Snapshot)) error {
	for _, values := range cohorts {
		if owner, err := strconv.Atoi(string(values[1])); err == nil && owner < faultyOwner {
			continue
		}
		switch s.fault {
		case "fails":
			return apierror.New(apierror.DataException, "no")
		case "hangs":
			<-ctx.Done()
			return ctx.Err()
		case "is slow":
			select {
			case <-ctx.Done():
			case <-time.After(patience - time.Second):
			}
		case "panics":
			panic("unforeseen")
		case "sends garbage":
			return apierror.New(apierror.DataException, "invalid input")
		}
	}
	return s.shelf.QueryStream(ctx, l, cohorts, f)
}

func (s faultyShelf) QueryLive(ctx context.Context, l backend.LiveStatement, cohorts [][][]byte, f func(int, [][]byte, []byte)) error {
	return s.QueryStream(ctx, l, cohorts, func(cohort int, roots [][]byte, cursor []byte, _ backend.Snapshot) { f(cohort, roots, cursor) })
}

func (s faultyShelf) CheckLive(context.Context, backend.LiveStatement, [][]byte) error {
	if s.fault == "sends garbage" {
		return apierror.New(apierror.DataException, "invalid input")
	}
	return nil
}

// TestFaultsOfCohortsAreTheirOwn: subscribers share a statement, the changes of a source, the pollers of an executor and the link to their gateway.
// Whatever some do, another has all its rows, and not later than by what a shared statement may take.
func TestFaultsOfCohortsAreTheirOwn(t *testing.T) {
	t.Parallel()
	for _, fault := range []string{"fails", "hangs", "is slow", "is cancelled", "panics", "sends garbage", "loses its permission", "takes nothing"} {
		for name, tables := range map[string]bool{"polled": false, "by changes": true} {
			t.Run(fault+" "+name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { faultOfCohorts(t, fault, tables) })
			})
		}
	}
}

func faultOfCohorts(t *testing.T, fault string, tables bool) {
	t.Helper()
	s := newShelf(1)
	l := newLibrary(t, s)
	l.manager.deps.Use = func(string) (backend.LiveSource, func(), error) { return faultyShelf{s, fault}, func() {}, nil }
	if !tables {
		l.live.Tables = nil
	}
	l.link("g", func() {})
	over := make(chan struct{})
	l.link("slow", func() { <-over })
	t.Cleanup(func() { close(over) }) // before the links end
	put := func(at int) {
		tx := s.begin()
		tx.put(at, book{at, 7})
		for owner := range 5 {
			tx.put(1000*(owner+1)+at, book{at, faultyOwner + owner})
		}
		tx.commit()
	}
	link := "g"
	if fault == "takes nothing" {
		link = "slow"
	}
	join := func(id uint64) {
		values := [][]byte{[]byte("0"), strconv.AppendUint(nil, faultyOwner+id%5, 10)}
		if fault == "sends garbage" {
			values[1] = []byte("garbage" + strconv.FormatUint(id, 10))
		}
		l.mu.Lock()
		l.readers[100+id] = &reader{}
		l.mu.Unlock()
		require.NoError(t, l.manager.Join(link, 100+id, Subscription{Plan: "faulty", Live: l.live, Values: values}))
	}
	put(1)
	r := l.join("g", 1, 7, 0)
	for id := range uint64(5) {
		join(id)
	}
	if fault == "is cancelled" {
		for id := range uint64(200) {
			join(5 + id)
			time.Sleep(10 * time.Millisecond)
			l.manager.Leave("g", []uint64{100 + id})
		}
	}
	time.Sleep(time.Minute) // in which the culprits are found
	put(2)
	if fault == "loses its permission" {
		for _, s := range l.manager.Stale(func(of any) bool { return of != any("faulty") }) {
			l.manager.End(s, apierror.New(apierror.ValidationFailed, "no such field"))
		}
	}
	time.Sleep(patience + 2*time.Second)
	require.Equal(t, []int{1, 2}, r.all())
	put(3)
	time.Sleep(patience + 2*time.Second)
	require.Equal(t, []int{1, 2, 3}, r.all())
}
