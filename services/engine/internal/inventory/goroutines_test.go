package inventory

import (
	"bufio"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestGoroutines holds that .ci/goroutines.txt has each function that starts a goroutine, with what keeps a panic in the work of one
// party from ending the process of all.
func TestGoroutines(t *testing.T) {
	t.Parallel()
	starts, guards := map[string]bool{}, map[string]bool{}
	for _, dir := range []string{"pkg", "services"} {
		require.NoError(t, filepath.WalkDir(filepath.Join(root, dir), func(path string, entry fs.DirEntry, err error) error {
			name, _ := filepath.Rel(root, path)
			name = filepath.ToSlash(name)
			switch {
			case err != nil:
				return err
			case entry.IsDir() && helpers.MatchString(name):
				return filepath.SkipDir
			case entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, d := range file.Decls {
				f, ok := d.(*ast.FuncDecl)
				if !ok || f.Body == nil {
					continue
				}
				if startsGoroutine(f.Body) {
					starts[name+" "+f.Name.Name] = true
				}
				guards[filepath.Dir(name)] = guards[filepath.Dir(name)] || recovers(f.Body)
			}
			return nil
		}))
	}
	list, err := os.Open(filepath.Join(root, ".ci", "goroutines.txt"))
	require.NoError(t, err)
	defer list.Close()
	listed, reasons := map[string]bool{}, map[string]bool{}
	for lines := bufio.NewScanner(list); lines.Scan(); {
		line := lines.Text()
		if m := regexp.MustCompile(`^# ([a-z]+): `).FindStringSubmatch(line); m != nil {
			reasons[m[1]] = true
		}
		if strings.HasPrefix(line, "#") {
			continue
		}
		start, reason, _ := strings.Cut(line, ": ")
		require.True(t, starts[start], "%s starts no goroutine", start)
		require.False(t, listed[start], "%s is listed twice", start)
		require.True(t, reasons[reason], "%s: no such reason: %s", start, reason)
		file, _, _ := strings.Cut(start, " ")
		require.True(t, reason != "guarded" || guards[filepath.Dir(file)], "%s: its package recovers from nothing", start)
		listed[start] = true
	}
	for start := range starts {
		assert.True(t, listed[start], "%s starts a goroutine: say in .ci/goroutines.txt what becomes of a panic in it", start)
	}
}

// startsGoroutine reports whether a body has a go statement, or calls a function that is one.
func startsGoroutine(body ast.Node) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.CallExpr:
			s, ok := n.Fun.(*ast.SelectorExpr)
			found = found || ok && (s.Sel.Name == "Go" || s.Sel.Name == "AfterFunc")
		}
		return !found
	})
	return found
}

// recovers reports whether a body recovers from panics.
func recovers(body ast.Node) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			found = found || n.Name == "recover" || n.Name == "guard"
		}
		return !found
	})
	return found
}
