package execute_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/open"
	"queryengine/pkg/jsonwalk"
	"queryengine/pkg/metadata"
	"queryengine/services/query-executor/internal/casetest"
	"queryengine/services/query-executor/internal/execute"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan/read"
)

// explaining is a source that explains statements with their texts. Whatever runs one panics.
type explaining struct {
	backend.Source
	backend.LiveSource
}

func (explaining) Explain(_ context.Context, s backend.Statement, _ backend.Args) (string, []string, error) {
	return s.SQL(), []string{"plan"}, nil
}

func (explaining) ExplainLive(context.Context, backend.LiveStatement, [][]byte) ([]string, error) {
	return []string{"live plan"}, nil
}

func (explaining) Close() {}

func explainingSources(t *testing.T, c *casetest.Case) *open.Pool {
	t.Helper()
	pool := open.New(func(*metadata.Source) (backend.Source, error) { return explaining{}, nil })
	t.Cleanup(pool.Close)
	pool.Update(c.Document.Sources)
	return pool
}

// TestExplanations: what is shown of a query are the statements that a run of it asks, one for
// each root field of a source, and nothing is run.
func TestExplanations(t *testing.T) {
	t.Parallel()
	var explained, refused atomic.Int64
	t.Run("cases", func(t *testing.T) {
		t.Parallel()
		casetest.Run(t, "../../testdata/cases", func(t *testing.T, c *casetest.Case) {
			op, values, err := c.Operation()
			if err != nil || op.Kind != parse.Query {
				return
			}
			p, r, err := prepared(t, c, op, values, os.LookupEnv)
			if err != nil {
				return // the case is of that error
			}
			r.Sources = explainingSources(t, c)
			body, err := p.Explain(t.Context(), r)
			if err != nil {
				require.Contains(t, []apierror.Code{apierror.InvalidParams, apierror.NotSupported}, apierror.From(err).Code)
				refused.Add(1)
				return
			}
			var list []struct {
				Field string
				SQL   *string
				Plan  []string
			}
			require.NoError(t, json.Unmarshal(body, &list))
			var shown []string
			for _, e := range list {
				require.NotEmpty(t, e.Field)
				require.Equal(t, e.SQL != nil, len(e.Plan) > 0)
				if e.SQL != nil {
					shown = append(shown, *e.SQL)
				}
			}
			statements := p.Statements() // each after the name of its source
			require.Len(t, statements, 2*len(shown))
			for i, sql := range shown {
				require.Equal(t, statements[2*i+1], sql)
			}
			explained.Add(1)
		})
	})
	t.Cleanup(func() {
		require.Greater(t, explained.Load(), int64(50))
		require.Greater(t, refused.Load(), int64(20), "with joins, or answered by servers")
	})
}

// TestSubscriptions: the answer of a subscription is made of the results of its root fields as that
// of a query is, and its explanation shows its statement.
func TestSubscriptions(t *testing.T) {
	t.Parallel()
	var answered atomic.Int64
	t.Run("cases", func(t *testing.T) {
		t.Parallel()
		casetest.Run(t, "../../testdata/cases", func(t *testing.T, c *casetest.Case) {
			op, values, err := c.Operation()
			if err != nil || op.Kind != parse.Query {
				return
			}
			op.Kind = parse.Subscription
			op.Directives = append(op.Directives, parse.Directive{Name: "_multiple_top_level_fields"})
			p, r, err := prepared(t, c, op, values, os.LookupEnv)
			if err != nil {
				require.NotEqual(t, apierror.Unexpected, apierror.From(err).Code, err)
				return // not everything can be subscribed to
			}
			l := p.Live()
			if l == nil {
				return
			}
			want := casetest.Read(t, filepath.Join(c.Dir, "want.json"))
			if roots := results(want); len(roots) == rootsOf(t, c, op, values) {
				require.Equal(t, string(want), string(l.AppendAnswer(nil, roots))+"\n")
				answered.Add(1)
			}
			r.Sources = explainingSources(t, c)
			if _, err := l.Values(r); err != nil {
				require.Equal(t, apierror.NotFound, apierror.From(err).Code, "a session variable that the case has not")
				return
			}
			body, err := p.ExplainLive(t.Context(), r)
			require.NoError(t, err)
			var shown struct {
				SQL       string
				Plan      []string
				Variables struct{ Session map[string]string }
			}
			require.NoError(t, json.Unmarshal(body, &shown))
			require.Equal(t, l.Statement.SQL(), shown.SQL)
			require.Equal(t, []string{"live plan"}, shown.Plan)
			for name, value := range shown.Variables.Session {
				require.Equal(t, c.Session.Variables[name], value)
			}
		})
	})
	t.Cleanup(func() { require.Greater(t, answered.Load(), int64(30)) })
}

// results are the values of the root fields of an answer, nil for an error.
func results(answer []byte) (roots [][]byte) {
	_ = jsonwalk.Fields(answer, func(key, data []byte) error {
		if string(key) != "data" {
			return nil
		}
		return jsonwalk.Fields(data, func(_, value []byte) error {
			roots = append(roots, value)
			return nil
		})
	})
	return roots
}

// rootsOf is the number of root fields that sources answer, outside of namespaces.
func rootsOf(t *testing.T, c *casetest.Case, op *parse.Operation, values [][]byte) int {
	t.Helper()
	p, err := c.Plan(op, values, nil)
	require.NoError(t, err)
	n := 0
	for _, part := range p.Parts {
		if q, ok := part.(*read.Query); ok && !strings.Contains(q.Field, ".") {
			n++
		}
	}
	return n
}

// TestSubscriptionsOfServers: what a server answers is followed, and joins and actions are refused.
func TestSubscriptionsOfServers(t *testing.T) {
	t.Parallel()
	subscriptions := 0
	casetest.Run(t, "../../testdata/cases", func(t *testing.T, c *casetest.Case) {
		if c.Feature.Name != "servers" || c.Name != "remote_alone" {
			return
		}
		c.Text = `subscription ($t: String) { hi: greeting(to: $t) }`
		op, values, err := c.Operation()
		require.NoError(t, err)
		p, r, err := prepared(t, c, op, values, os.LookupEnv)
		require.NoError(t, err)
		require.True(t, p.Needs().Has(execute.NeedsRemotes))
		f := p.RemoteSubscription()
		require.NotNil(t, f)
		body := f.Body(r)
		require.JSONEq(t, `{"query":"subscription ($t: String){hi: greeting(to: $t)}","variables":{}}`, string(body))
		require.True(t, f.Same(f, body, body))
		require.False(t, f.Same(f, body, append(body, ' ')))

		for text, want := range map[string]string{
			`subscription { employee { person { name } } }`:                                                      "Remote relationships are not allowed in subscriptions",
			`subscription { ask { id } }`:                                                                        "query actions cannot be run as a subscription",
			`subscription @_multiple_top_level_fields { greeting employee { id } }`:                              "exactly one root field is allowed for subscriptions on remote schemas",
			`subscription { greeting other: greeting }`:                                                          "subscriptions must select one top level field",
			`subscription @_multiple_top_level_fields { a: greeting b: greeting }`:                               "exactly one root field is allowed for subscriptions on remote schemas",
			`subscription { employee_stream(batch_size: 2, cursor: []) { id } }`:                                 "one streaming column field is expected",
			`subscription { employee_stream(batch_size: 2, cursor: {initial_value: {id: 1, badge: 2}}) { id } }`: "multiple column cursors are not supported yet",
		} {
			c.Text = text
			op, values, err := c.Operation()
			require.NoError(t, err, text)
			_, err = c.Plan(op, values, nil)
			require.Equal(t, want, apierror.From(err).Message, text)
		}
		subscriptions++
	})
	t.Cleanup(func() { require.Equal(t, 1, subscriptions) })
}
