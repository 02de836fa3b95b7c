package config

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A setting that is defined but not in the table would always have its default: no flag and no
// variable would reach it.
func TestEverySettingIsInTheTable(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	var defined []string
	listed := map[string]bool{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 {
				return true
			}
			switch value := spec.Values[0].(type) {
			case *ast.CallExpr:
				if f, ok := value.Fun.(*ast.Ident); ok && f.Name == "define" {
					defined = append(defined, spec.Names[0].Name)
				}
			case *ast.CompositeLit:
				if spec.Names[0].Name != "effective" && spec.Names[0].Name != "withoutEffect" {
					return true
				}
				for _, e := range value.Elts {
					if row, ok := e.(*ast.Ident); ok {
						listed[row.Name] = true
					}
				}
			}
			return true
		})
	}
	require.NotEmpty(t, defined)
	for _, name := range defined {
		require.True(t, listed[name], "%s is missing in the table", name)
	}
}
