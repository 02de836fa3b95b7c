package request_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/services/gateway/internal/request"
)

func TestBulkSize(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int{
		`{"type":"bulk","args":[{"type":"select"},{"type":"insert"},1]}`: 3,
		`{"args":[{"type":"select"},{"type":"insert"}],"type":"bulk"}`:   2,
		`{"type":"bulk","args":[]}`:                                      0,
		`{"type":"bulk","args":{}}`:                                      1,
		`{"type":"select","args":[1,2]}`:                                 1,
		`[]`:                                                             1,
	} {
		size, err := request.BulkSize([]byte(body))
		require.NoError(t, err, body)
		require.Equal(t, want, size, body)
	}
	_, err := request.BulkSize([]byte(`{"type":"bulk","args":[{"type":"select"},{"type":"bulk","args":[]}]}`))
	require.EqualError(t, err, "not-supported at $.args[1]: a bulk request can't hold another one")
	_, err = request.BulkSize([]byte(`{`))
	require.Error(t, err)
}
