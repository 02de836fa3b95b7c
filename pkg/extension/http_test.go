package extension

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLargeBodies: no request of the process is cut.
func TestLargeBodies(t *testing.T) {
	t.Parallel()
	size := Handler{Kind: HTTP, Name: "size", Serve: func(_ context.Context, r *Request) *Response {
		return &Response{Status: http.StatusOK, Header: http.Header{}, Body: []byte(strconv.Itoa(len(r.Body)))}
	}}
	set, err := New(size)
	require.NoError(t, err)
	const large = 33 << 20
	client := http.Client{Transport: set.Transport(nil)}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "go://size", strings.NewReader(strings.Repeat(" ", large)))
	require.NoError(t, err)
	response, err := client.Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, strconv.Itoa(large), string(text))
}
