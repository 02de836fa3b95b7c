package plan_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/services/query-executor/internal/casetest"
)

var update = flag.Bool("update", false, "rewrite want.ir.json of the cases")

// TestCases compares the plan of every case with want.ir.json: it holds what the role's permissions
// add to the query. A case that can't be planned has the error as its answer.
func TestCases(t *testing.T) {
	t.Parallel()
	casetest.Run(t, "../../testdata/cases", comparePlan)
}

// TestSQLServerCases are plans for a kind of which the tests of the service have no database.
func TestSQLServerCases(t *testing.T) {
	t.Parallel()
	casetest.Run(t, "../../testdata/sqlserver", comparePlan)
}

func comparePlan(t *testing.T, c *casetest.Case) {
	name := filepath.Join(c.Dir, "want.ir.json")
	got, err := dump(t, c)
	if err != nil {
		require.NoFileExists(t, name)
		known := apierror.From(err)
		body, err := json.Marshal(map[string]any{"error": known.Message, "path": known.Path, "code": known.Code})
		require.NoError(t, err)
		require.Equal(t, string(casetest.Read(t, filepath.Join(c.Dir, "want.json"))), string(body)+"\n")
		return
	}
	got = append(got, '\n')
	if *update {
		require.NoError(t, os.WriteFile(name, got, 0o600))
		return
	}
	require.Equal(t, string(casetest.Read(t, name)), string(got))
}

func dump(t *testing.T, c *casetest.Case) ([]byte, error) {
	t.Helper()
	op, values, err := c.Operation()
	if err != nil {
		return nil, err
	}
	p, err := c.Plan(op, values, nil)
	if err != nil {
		return nil, err
	}
	return casetest.Dump(t, p, values), nil
}

// TestSessionUse: what a plan reports to use of the session is what its statements ask for.
func TestSessionUse(t *testing.T) {
	t.Parallel()
	variable := regexp.MustCompile(`"is": "SessionVar",\s+"Name": "([^"]+)"`)
	var named, opaque atomic.Int64
	t.Run("cases", func(t *testing.T) {
		t.Parallel()
		casetest.Run(t, "../../testdata/cases", func(t *testing.T, c *casetest.Case) {
			op, values, err := c.Operation()
			if err != nil {
				return
			}
			p, err := c.Plan(op, values, nil)
			if err != nil {
				return // the case is of that error
			}
			use := p.SessionDeps()
			if use.Opaque {
				opaque.Add(1)
			}
			for _, m := range variable.FindAllSubmatch(casetest.Dump(t, p, values), -1) {
				require.True(t, use.All || slices.Contains(use.Names, string(m[1])), "%s is used", m[1])
				named.Add(1)
			}
			require.True(t, slices.IsSorted(use.Names))
		})
	})
	t.Cleanup(func() {
		require.Greater(t, named.Load(), int64(10))
		require.Greater(t, opaque.Load(), int64(10), "mutations, and what servers answer")
	})
}
