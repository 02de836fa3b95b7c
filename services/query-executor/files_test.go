package queryexecutor

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFilesHaveNoCircle: the files of this package can be put in an order in which each uses only
// those before it, from the type Executor to service.go, which wires it. So the way of a request reads
// from handlers.go through run.go down, and no file needs those that call it.
func TestFilesHaveNoCircle(t *testing.T) {
	t.Parallel()
	uses := fileUses(t)
	require.Contains(t, uses["run.go"], "planning.go")
	dropFiles(uses, func(f string) bool { return len(uses[f]) == 0 })
	dropFiles(uses, func(f string) bool { return !used(uses, f) })
	require.Empty(t, uses, "these files use each other in a circle")
}

// dropFiles removes files for as long as there are some to drop.
func dropFiles(uses map[string]map[string]string, drop func(file string) bool) {
	for {
		dropped := slices.Collect(maps.Keys(uses))
		dropped = slices.DeleteFunc(dropped, func(f string) bool { return !drop(f) })
		for _, f := range dropped {
			delete(uses, f)
			for _, of := range uses {
				delete(of, f)
			}
		}
		if len(dropped) == 0 {
			return
		}
	}
}

func used(uses map[string]map[string]string, file string) bool {
	for _, of := range uses {
		if of[file] != "" {
			return true
		}
	}
	return false
}

// fileUses gives for each file of the package the others whose declarations it uses, with one of them.
func fileUses(t *testing.T) map[string]map[string]string {
	t.Helper()
	paths, err := filepath.Glob("*.go")
	require.NoError(t, err)
	set, uses := token.NewFileSet(), map[string]map[string]string{}
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		files, uses[path] = append(files, f), map[string]string{}
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	// Without an importer there are errors about other packages, which don't matter here.
	checker := types.Config{Error: func(error) {}}
	pkg, _ := checker.Check("queryexecutor", set, files, &info)
	for id, of := range info.Uses {
		v, isVar := of.(*types.Var)
		f, isFunc := of.(*types.Func)
		isMember := isVar && v.IsField() || isFunc && f.Signature().Recv() != nil
		if of.Pkg() != pkg || of.Parent() != pkg.Scope() && !isMember {
			continue
		}
		from, to := set.File(id.Pos()).Name(), set.File(of.Pos()).Name()
		if from != to {
			uses[from][to] = of.Name()
		}
	}
	return uses
}
