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

const root = "../../../.."

// helpers are directories of programs and packages for tests and measurements alone.
var helpers = regexp.MustCompile(`(^|/)(node_modules|testdata|bench|dbtest|localpg|casetest|\w+test)(/|$)`)

// TestSharedThings holds that .ci/shared.txt has each type that several parties may share, with tests that are there.
func TestSharedThings(t *testing.T) {
	t.Parallel()
	types, tests := map[string]bool{}, map[string]bool{}
	for _, dir := range []string{"pkg", "services"} {
		require.NoError(t, filepath.WalkDir(filepath.Join(root, dir), func(path string, entry fs.DirEntry, err error) error {
			name, _ := filepath.Rel(root, path)
			switch {
			case err != nil:
				return err
			case entry.IsDir() && strings.HasSuffix(name, "node_modules"):
				return filepath.SkipDir
			case entry.IsDir() || !strings.HasSuffix(name, ".go"):
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && strings.HasSuffix(name, "_test.go") {
					tests[f.Name.Name] = true
				}
			}
			if !strings.HasSuffix(name, "_test.go") && !helpers.MatchString(filepath.Dir(filepath.ToSlash(name))) {
				for _, typ := range lockingTypes(file) {
					types[filepath.ToSlash(name)+" "+typ] = true
				}
			}
			return nil
		}))
	}
	list, err := os.Open(filepath.Join(root, ".ci", "shared.txt"))
	require.NoError(t, err)
	defer list.Close()
	listed := map[string]bool{}
	for lines := bufio.NewScanner(list); lines.Scan(); {
		line := lines.Text()
		if strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.SplitN(line, ": ", 3)
		require.GreaterOrEqual(t, len(parts), 2, line)
		require.True(t, types[parts[0]], "%s: there is no such type with a lock", parts[0])
		require.False(t, listed[parts[0]], "%s is listed twice", parts[0])
		listed[parts[0]] = true
		if len(parts) == 2 {
			require.Contains(t, []string{"own", "counts", "derived", "process"}, parts[1], line)
			continue
		}
		named := regexp.MustCompile(`\bTest\w+`).FindAllString(parts[2], -1)
		require.NotEmpty(t, named, line)
		for _, name := range named {
			require.True(t, tests[name], "%s: there is no %s", parts[0], name)
		}
	}
	for name := range types {
		assert.True(t, listed[name], "%s has a lock: say in .ci/shared.txt who shares it, and by which tests one party's fault doesn't reach the others", name)
	}
}

// lockingTypes are the structures of a file that have a lock or a signal of their own.
func lockingTypes(file *ast.File) (names []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		structure, ok := spec.Type.(*ast.StructType)
		if !ok {
			return true
		}
		for _, f := range structure.Fields.List {
			if len(f.Names) > 0 && locks(f.Type) {
				names = append(names, spec.Name.Name)
				break
			}
		}
		return true
	})
	return names
}

func locks(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		p, ok := e.X.(*ast.Ident)
		return ok && (p.Name == "sync" && (e.Sel.Name == "Mutex" || e.Sel.Name == "RWMutex") || p.Name == "singleflight" && e.Sel.Name == "Group")
	case *ast.ChanType:
		s, ok := e.Value.(*ast.StructType)
		return ok && len(s.Fields.List) == 0
	}
	return false
}
