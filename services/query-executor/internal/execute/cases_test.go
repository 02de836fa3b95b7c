package execute_test

import (
	"encoding/json"
	"errors"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/action"
	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/open"
	"queryengine/pkg/egress"
	"queryengine/pkg/metadata"
	"queryengine/services/query-executor/internal/budget"
	"queryengine/services/query-executor/internal/casetest"
	"queryengine/services/query-executor/internal/execute"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan/insert"
	"queryengine/services/query-executor/internal/remote"
)

// TestCases runs every case with the answers that a database gave to its statements: the statements
// must be the same, each with the same parameters, and the answer the wanted one.
func TestCases(t *testing.T) {
	t.Parallel()
	casetest.Run(t, "../../testdata/cases", func(t *testing.T, c *casetest.Case) {
		raw := casetest.Read(t, filepath.Join(c.Dir, casetest.StatementsFile))
		require.NotNil(t, raw)
		replay := casetest.NewReplay(t, raw)
		pool := open.New(func(s *metadata.Source) (backend.Source, error) { return replay.Source(s.Name), nil })
		t.Cleanup(pool.Close)
		pool.Update(c.Document.Sources)
		servers := casetest.NewServers(t, casetest.Read(t, filepath.Join(c.Dir, casetest.ServersFile)))
		out := backend.NewAnswer(nil, nil, 0)
		if err := run(t, c, pool, servers.Env, out); err != nil {
			if answered := (*remote.ServerError)(nil); errors.As(err, &answered) {
				out.Buf = execute.AppendErrors(nil, answered)
				require.Equal(t, string(casetest.Read(t, filepath.Join(c.Dir, "want.json"))), string(out.Buf)+"\n")
				return
			}
			var known *apierror.Error
			require.ErrorAs(t, err, &known)
			out.Buf, err = json.Marshal(map[string]any{"error": known.Message, "path": known.Path, "code": known.Code})
			require.NoError(t, err)
		}
		require.Equal(t, string(casetest.Read(t, filepath.Join(c.Dir, "want.json"))), string(out.Buf)+"\n")
		require.Zero(t, replay.Left(), "statements that were not asked")
		require.Zero(t, servers.Left(), "calls that were not made")
	})
}

// prepared is a case that can be run, with what a run of it needs.
func prepared(t *testing.T, c *casetest.Case, op *parse.Operation, values [][]byte, env metadata.Env) (*execute.Prepared, *execute.Run, error) {
	t.Helper()
	calls, err := egress.New(egress.DefaultConfig())
	require.NoError(t, err)
	t.Cleanup(calls.Close)
	r := &execute.Run{
		Role: c.Role(), Session: c.Session, Values: values,
		Remotes: execute.Remotes{Caller: &remote.Caller{Client: remote.NewClient(calls, env, false), Session: c.Session}},
		Actions: &action.Caller{Client: action.NewClient(calls, env, slog.New(slog.DiscardHandler), nil), Session: c.Session, Query: c.Text},
	}
	var inserts []*insert.Tree
	for {
		p, err := c.Plan(op, values, inserts)
		if err != nil {
			return nil, nil, err
		}
		prepared, err := execute.Prepare(p, c.Render(), nil)
		if err != nil {
			return nil, nil, err
		}
		r.Budget = budget.New(len(c.Text))
		switch err := prepared.Bind(r); {
		case errors.Is(err, insert.ErrGrow):
			inserts = p.Inserts
		default:
			return prepared, r, err
		}
	}
}

func run(t *testing.T, c *casetest.Case, pool *open.Pool, env metadata.Env, out *backend.Answer) error {
	t.Helper()
	op, values, err := c.Operation()
	if err != nil {
		return err
	}
	p, r, err := prepared(t, c, op, values, env)
	if err != nil {
		return err
	}
	r.Sources = pool
	return p.Write(t.Context(), r, out)
}
