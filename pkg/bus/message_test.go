package bus

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	queryv1 "queryengine/proto/query/v1"
)

// TestRequestsOfOtherVersions holds that what isn't read by code for it is read all the same.
func TestRequestsOfOtherVersions(t *testing.T) {
	t.Parallel()
	want := &queryv1.ExecuteRequest{Query: "{ a }", Session: &queryv1.Session{Role: "user"}}
	b, err := marshalRequest(want)
	require.NoError(t, err)
	later := protowire.AppendVarint(protowire.AppendTag(b, 1000, protowire.VarintType), 7)
	read := &queryv1.ExecuteRequest{}
	require.NoError(t, unmarshalRequest(later, read))
	again, err := marshalRequest(read)
	require.NoError(t, err)
	require.ElementsMatch(t, later, again, "the field of a later version is kept")
	read.ProtoReflect().SetUnknown(nil)
	require.True(t, proto.Equal(want, read))

	_, err = marshalRequest(&queryv1.ExecuteRequest{Query: "\xff"})
	require.Error(t, err)
	require.Error(t, unmarshalRequest([]byte{18, 1, 255}, &queryv1.ExecuteRequest{}))
}
