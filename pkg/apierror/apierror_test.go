package apierror_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
)

// TestLongTextsAreCut holds that an error stays small enough to be reported, whatever names are in it.
func TestLongTextsAreCut(t *testing.T) {
	t.Parallel()
	name := strings.Repeat("é", 2<<20)
	fault := apierror.Newf(apierror.ValidationFailed, "field '%s' not found", name)
	told := apierror.From(fmt.Errorf("plan: %w", apierror.At(fault, "selectionSet", name)))
	require.Equal(t, apierror.ValidationFailed, told.Code)
	require.Equal(t, fault.Status, told.Status)
	require.LessOrEqual(t, len(told.Message), 64<<10)
	require.True(t, strings.HasPrefix(told.Message, "field 'éé"))
	require.True(t, strings.HasSuffix(told.Message, "é..."))
	require.LessOrEqual(t, len(told.Path), 16<<10)
	require.True(t, strings.HasPrefix(told.Path, "$.selectionSet["))

	short := apierror.New(apierror.ValidationFailed, "field 'a' not found")
	require.Same(t, short, apierror.From(short))
}
