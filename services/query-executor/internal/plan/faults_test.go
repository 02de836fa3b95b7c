package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/services/query-executor/internal/casetest"
)

// TestFaults: what is wrong with an operation is found when it is planned, with the code and the path of
// the first fault.
func TestFaults(t *testing.T) {
	t.Parallel()
	casetest.RunFaults(t, "../../testdata/cases", func(t *testing.T, c *casetest.Case, want casetest.Fault) {
		op, values, err := c.Operation()
		if err == nil {
			_, err = c.Plan(op, values, nil)
		}
		require.Error(t, err)
		got := apierror.From(err)
		require.Equal(t, []string{want.Code, want.Path, want.Error}, []string{string(got.Code), got.Path, got.Message})
	})
}
