package execute_test

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/metadata"
	"queryengine/services/query-executor/internal/budget"
	"queryengine/services/query-executor/internal/casetest"
	"queryengine/services/query-executor/internal/execute"
	"queryengine/services/query-executor/internal/plan"
	"queryengine/services/query-executor/internal/sources"
)

// TestCases runs every case with the answers that a database gave to its statements: the statements
// must be the same, each with the same parameters, and the answer the wanted one.
func TestCases(t *testing.T) {
	t.Parallel()
	casetest.Run(t, "../../testdata/cases", func(t *testing.T, c *casetest.Case) {
		raw := casetest.Read(t, filepath.Join(c.Dir, casetest.StatementsFile))
		require.NotNil(t, raw)
		replay := casetest.NewReplay(t, raw)
		open := sources.New(func(s *metadata.Source) (backend.Source, error) { return replay.Source(s.Name), nil })
		t.Cleanup(open.Close)
		open.Update(c.Document.Sources)
		out := backend.NewAnswer(nil, nil, 0)
		if err := run(t, c, open, out); err != nil {
			var known *apierror.Error
			require.ErrorAs(t, err, &known)
			out.Buf, err = json.Marshal(map[string]any{"error": known.Message, "path": known.Path, "code": known.Code})
			require.NoError(t, err)
		}
		require.Equal(t, string(casetest.Read(t, filepath.Join(c.Dir, "want.json"))), string(out.Buf)+"\n")
		require.Zero(t, replay.Left(), "statements that were not asked")
	})
}

func run(t *testing.T, c *casetest.Case, open *sources.Manager, out *backend.Answer) error {
	op, values, err := c.Operation()
	if err != nil {
		return err
	}
	r := &execute.Run{Role: c.Role(), Session: c.Session, Sources: open, Values: values}
	var inserts []*plan.Insert
	for {
		p, err := c.Plan(op, values, inserts)
		if err != nil {
			return err
		}
		prepared, err := execute.Prepare(p, c.Render(), nil)
		if err != nil {
			return err
		}
		r.Budget = budget.New(len(c.Text))
		switch err := prepared.Bind(r); {
		case errors.Is(err, plan.ErrGrow):
			inserts = prepared.Inserts()
		case err != nil:
			return err
		default:
			return prepared.Write(t.Context(), r, out)
		}
	}
}
