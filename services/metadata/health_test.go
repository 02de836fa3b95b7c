package metadata

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"

	"queryengine/pkg/bus"
)

func TestHealthSaysWhetherTheDatabaseAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.start(t)
	ask := func() error {
		newEmpty := func() proto.Message { return &emptypb.Empty{} }
		_, _, err := s.bus.CallMessage(t.Context(), bus.MetadataHealth, newEmpty(), newEmpty, 0)
		return err
	}
	require.NoError(t, ask())

	// The database goes away under the service's feet.
	name := w.metadataURL[strings.LastIndexByte(w.metadataURL, '/')+1:]
	name, _, _ = strings.Cut(name, "?")
	w.sql(t, w.source, `DROP DATABASE "`+name+`" WITH (FORCE)`)
	err := ask()
	require.ErrorContains(t, err, "the metadata database can't be reached")
	require.NotContains(t, err.Error(), name, "details are for the log")
}
