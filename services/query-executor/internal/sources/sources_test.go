package sources_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/metadata"
	"queryengine/services/query-executor/internal/sources"
)

// fakeSource counts how often it is closed; nothing else of it is used.
type fakeSource struct {
	backend.Source
	closed chan struct{}
}

func (s *fakeSource) Close() { close(s.closed) }

func source(name, url string) *metadata.Source {
	s := &metadata.Source{Name: name, Kind: "fake"}
	s.Configuration.ConnectionInfo.DatabaseURL = json.RawMessage(url)
	return s
}

func setup() (*sources.Manager, *[]*fakeSource) {
	var opened []*fakeSource
	return sources.New(func(s *metadata.Source) (backend.Source, error) {
		if string(s.Configuration.ConnectionInfo.DatabaseURL) == `"bad"` {
			return nil, errors.New("refused")
		}
		source := &fakeSource{closed: make(chan struct{})}
		opened = append(opened, source)
		return source, nil
	}), &opened
}

func TestSourcesStayOpenWhileTheirConfigurationDoes(t *testing.T) {
	t.Parallel()
	m, opened := setup()
	m.Update([]*metadata.Source{source("a", `"one"`), source("b", `"two"`)})
	require.Len(t, *opened, 2)
	m.Update([]*metadata.Source{source("a", `"one"`), source("b", `"three"`)})
	require.Len(t, *opened, 3)
	<-(*opened)[1].closed

	use, err := m.Use("a")
	require.NoError(t, err)
	require.Same(t, (*opened)[0], use.Source)
	use.Release()
	m.Close()
	<-(*opened)[0].closed
	<-(*opened)[2].closed
}

func TestSourceIsClosedAfterItsLastUse(t *testing.T) {
	t.Parallel()
	m, opened := setup()
	m.Update([]*metadata.Source{source("a", `"one"`)})
	use, err := m.Use("a")
	require.NoError(t, err)
	m.Update(nil)
	select {
	case <-(*opened)[0].closed:
		require.Fail(t, "closed while in use")
	default:
	}
	use.Release()
	m.Close()
	<-(*opened)[0].closed
}

func TestSourcesThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	m, _ := setup()
	m.Update([]*metadata.Source{source("bad", `"bad"`)})
	_, err := m.Use("bad")
	require.ErrorContains(t, err, "refused")
	_, err = m.Use("none")
	var e *apierror.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, `source with name "none" does not exist`, e.Message)
	m.Close()
}
