package apierror_test

import (
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
)

// spoken is detail with a form in words.
type spoken struct {
	Statement string `json:"statement"`
}

func (spoken) Detail() string { return "no such table" }

func TestTextIsForOperators(t *testing.T) {
	t.Parallel()
	failed := apierror.New(apierror.Unexpected, "database query error")
	for name, c := range map[string]struct {
		err            error
		text, detailed string
	}{
		"another error":  {errors.New("no such file"), "no such file", "no such file"},
		"at the root":    {failed, "database query error", "database query error"},
		"at a path":      {apierror.At(failed, "args", 1), "database query error (at $.args[1])", "database query error (at $.args[1])"},
		"in another one": {fmt.Errorf("load the metadata: %w", failed), "load the metadata: database query error", "load the metadata: database query error"},
		"with words":     {fmt.Errorf("start: %w", failed.WithInternal("it is away")), "start: database query error", "start: database query error: it is away"},
		"with an error":  {failed.WithInternal(errors.New("it is away")), "database query error", "database query error: it is away"},
		"with an object": {failed.WithInternal(spoken{"SELECT 1"}), "database query error", "database query error: no such table"},
		"with JSON":      {failed.WithInternal([]int{1}), "database query error", "database query error: [1]"},
	} {
		require.Equal(t, c.text, apierror.Text(c.err), name)
		require.Equal(t, c.detailed, apierror.Detailed(c.err), name)
	}
}

// TestFormat holds that what a test shows of an error has its internal part, and what anything else shows hasn't.
func TestFormat(t *testing.T) {
	t.Parallel()
	failed := apierror.New(apierror.Unexpected, "database query error").WithInternal(map[string]string{"message": "no such table"})
	require.Equal(t, `unexpected at $: database query error {"message":"no such table"}`, fmt.Sprintf("%+v", failed))
	require.Equal(t, "unexpected at $: database query error", fmt.Sprintf("%+v", apierror.New(apierror.Unexpected, "database query error")))
	for _, verb := range []string{"%v", "%s"} {
		require.Equal(t, failed.Error(), fmt.Sprintf(verb, failed))
	}
	require.Equal(t, strconv.Quote(failed.Error()), fmt.Sprintf("%q", failed))
	require.Equal(t, "load: "+failed.Error(), fmt.Errorf("load: %w", failed).Error())
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Error("failed", "error", failed)
	require.Contains(t, log.String(), "database query error")
	require.NotContains(t, log.String(), "no such table")
}
