package open_test

import (
	"encoding/json"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/open"
	"queryengine/pkg/metadata"
)

// fakeSource tells when it is closed; nothing else of it is used.
type fakeSource struct {
	backend.Source
	closed chan struct{}
}

func (s *fakeSource) Close() { close(s.closed) }

func source(name, url string) *metadata.Source {
	s := &metadata.Source{Name: name, Kind: "fake"}
	s.Configuration = json.RawMessage(url)
	return s
}

func list(sources ...*metadata.Source) []*metadata.Source { return sources }

// setup is a pool, and what it has opened. The address "bad" can't be opened.
func setup() (*open.Pool, *[]*fakeSource) {
	var opened []*fakeSource
	return open.New(func(s *metadata.Source) (backend.Source, error) {
		if string(s.Configuration) == `"bad"` {
			return nil, errors.New("refused")
		}
		source := &fakeSource{closed: make(chan struct{})}
		opened = append(opened, source)
		return source, nil
	}), &opened
}

func isOpen(t *testing.T, s *fakeSource) {
	t.Helper()
	select {
	case <-s.closed:
		assert.Fail(t, "closed while in use")
	default:
	}
}

func TestSourcesStayOpenWhileTheirConfigurationDoes(t *testing.T) {
	t.Parallel()
	p, opened := setup()
	p.Update(list(source("a", `"one"`), source("b", `"two"`)))
	require.Len(t, *opened, 2)
	p.Update(list(source("a", `"one"`), source("b", `"three"`)))
	require.Len(t, *opened, 3)
	<-(*opened)[1].closed

	use, err := p.Named("a")
	require.NoError(t, err)
	require.Same(t, (*opened)[0], use.Source)
	use.Release()
	p.Close()
	<-(*opened)[0].closed
	<-(*opened)[2].closed
}

func TestSourceIsClosedAfterItsLastUse(t *testing.T) {
	t.Parallel()
	p, opened := setup()
	p.Update(list(source("a", `"one"`)))
	use, err := p.Named("a")
	require.NoError(t, err)
	p.Update(nil)
	isOpen(t, (*opened)[0])
	use.Release()
	p.Close()
	<-(*opened)[0].closed
}

// What isn't in effect yet can be used next to what is: a source has as many configurations as there
// are versions of the metadata in hand.
func TestSourcesAreOpenedOncePerConfiguration(t *testing.T) {
	t.Parallel()
	p, opened := setup()
	for range 2 {
		use, err := p.Use(source("a", `"one"`))
		require.NoError(t, err)
		use.Release()
	}
	require.Len(t, *opened, 1)
	isOpen(t, (*opened)[0])
	other, err := p.Use(source("a", `"two"`))
	require.NoError(t, err)
	require.Len(t, *opened, 2)

	p.Retain(list(source("a", `"one"`), source("b", `"three"`)))
	require.Len(t, *opened, 2, "nothing is opened")
	isOpen(t, (*opened)[1])
	other.Release()
	<-(*opened)[1].closed
	isOpen(t, (*opened)[0])
	p.Close()
	<-(*opened)[0].closed
}

func TestSourcesThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	p, _ := setup()
	p.Update(list(source("bad", `"bad"`)))
	_, err := p.Named("bad")
	require.ErrorContains(t, err, "refused")
	_, err = p.Use(source("bad", `"bad"`))
	require.ErrorContains(t, err, "refused")
	_, err = p.Named("none")
	var e *apierror.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, `source with name "none" does not exist`, e.Message)
	p.Close()
}

// Uses come and go while the metadata changes: each source is closed once, after its last use.
func TestUsesBesideUpdates(t *testing.T) {
	t.Parallel()
	p, opened := setup()
	one, two := list(source("a", `"one"`)), list(source("a", `"two"`))
	p.Update(one)
	var users sync.WaitGroup
	for range 4 {
		users.Go(func() {
			for range 200 {
				use, err := p.Named("a")
				if !assert.NoError(t, err) {
					return
				}
				isOpen(t, use.Source.(*fakeSource)) //nolint:forcetypeassert // it is what setup opens
				use.Release()
			}
		})
	}
	for range 100 {
		p.Update(two)
		p.Update(one)
	}
	users.Wait()
	p.Close()
	for _, s := range *opened {
		<-s.closed
	}
}

// TestFaultsOfSourcesAreTheirOwn: sources are opened and closed together. Whatever one does, the others are there.
func TestFaultsOfSourcesAreTheirOwn(t *testing.T) {
	t.Parallel()
	hangs := make(chan struct{})
	p := open.New(func(s *metadata.Source) (backend.Source, error) {
		switch string(s.Configuration) {
		case `"fails"`:
			return nil, errors.New("refused")
		case `"panics"`:
			panic("unforeseen")
		case `"hangs"`:
			return &fakeSource{closed: hangs}, nil
		}
		return &fakeSource{closed: make(chan struct{})}, nil
	})
	usable := func(name string) {
		t.Helper()
		u, err := p.Named(name)
		require.NoError(t, err)
		u.Release()
	}
	for _, fault := range []string{"fails", "panics"} {
		p.Update(list(source("a", `"well"`), source(fault, `"`+fault+`"`), source("b", `"well"`)))
		_, err := p.Named(fault)
		require.Error(t, err)
		usable("a")
		usable("b")
		_, err = p.Use(source(fault, `"`+fault+`"`))
		require.Error(t, err)
		usable("a")
	}
	p.Update(list(source("a", `"well"`), source("hangs", `"hangs"`)))
	held, err := p.Named("hangs")
	require.NoError(t, err)
	p.Update(list(source("a", `"well"`)))
	usable("a") // while the one that isn't wanted any more is in use
	func() {
		defer func() { _ = recover() }()
		u, err := p.Named("a")
		require.NoError(t, err)
		defer u.Release()
		panic("of who uses it")
	}()
	usable("a")
	held.Release()
	<-hangs
	p.Close()
}
