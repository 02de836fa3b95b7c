package budget_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/services/query-executor/internal/budget"
)

func TestBudgetFollowsTheSize(t *testing.T) {
	t.Parallel()
	require.Equal(t, 5_000, budget.Of(budget.Selections, 0))
	require.Equal(t, 15_240, budget.Of(budget.Selections, 1024))
	require.Equal(t, 50_000, budget.Of(budget.Selections, 32<<20))
	require.Equal(t, 102, budget.Of(budget.RootFields, 14), "parts of one don't count")
}

func TestTake(t *testing.T) {
	t.Parallel()
	b := budget.New(0)
	require.NoError(t, b.Take(budget.RootFields, 60))
	require.NoError(t, b.Take(budget.RootFields, 40))
	require.NoError(t, b.Take(budget.Statements, 100), "each kind is counted by itself")
	require.EqualError(t, b.Take(budget.RootFields, 1), "validation-failed at $: the operation has too many root fields")
	require.Error(t, b.Take(budget.RootFields, 0), "it stays used up")
	b.Allow(budget.RootFields, 3)
	require.NoError(t, b.Take(budget.RootFields, 2))
	require.Equal(t, 0, b.Left(budget.RootFields))
}
