package resolve_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
)

func TestEndpoints(t *testing.T) {
	t.Parallel()
	endpoint := &metadata.RESTEndpoint{
		Name: "goods", URL: "goods", Methods: []string{"GET"},
		Definition: metadata.EndpointDefinition{Query: metadata.QueryReference{Collection: "app", Query: "goods"}},
	}
	broken := metadata.Empty()
	broken.RESTEndpoints = []*metadata.RESTEndpoint{endpoint}
	schema := resolve.Build(broken, nil, nil, nil, resolve.Options{})
	want := []metadata.Inconsistency{{
		ID: endpoint.ID(), Definition: endpoint, Name: "rest_endpoint goods", Type: "rest_endpoint",
		Reason: "Inconsistent object: in endpoint goods: collection with name app does not exist",
	}}
	require.Equal(t, want, schema.Inconsistencies())

	mended := *broken
	mended.QueryCollections = []*metadata.QueryCollection{{Name: "app", Definition: metadata.CollectionDefinition{
		Queries: []metadata.StoredQuery{{Name: "goods", Query: "{ goods { id } }"}},
	}}}
	schema = resolve.Build(&mended, nil, nil, schema, resolve.Options{})
	require.Empty(t, schema.Inconsistencies())
	schema = resolve.Build(broken, nil, nil, schema, resolve.Options{})
	require.Equal(t, want, schema.Inconsistencies())
}
