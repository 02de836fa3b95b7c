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
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const root = "../../../.."

// helpers are directories of programs and packages for tests and measurements alone.
var helpers = regexp.MustCompile(`(^|/)(node_modules|testdata|bench|dbtest|localpg|casetest|\w+test)(/|$)`)

// faults are what one party may do to what it shares.
var faults = []string{"fails", "hangs", "is slow", "is cancelled", "panics", "sends garbage", "loses its permission"}

// TestSharedThings holds that .ci/shared.txt has each type that several parties may share, with a test that is there, or a reason, for each fault.
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
	listed, reasons, open, allowed := map[string]bool{}, map[string]bool{}, 0, -1
	for lines := bufio.NewScanner(list); lines.Scan(); {
		line := lines.Text()
		if m := regexp.MustCompile(`^# ([a-z]+): (.+)`).FindStringSubmatch(line); m != nil {
			reasons[m[1]] = true
			if m[1] == "open" {
				var err error
				allowed, err = strconv.Atoi(m[2])
				require.NoError(t, err)
			}
		}
		if strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.SplitN(line, ": ", 3)
		require.GreaterOrEqual(t, len(parts), 2, line)
		if file, ok := strings.CutSuffix(parts[0], " -"); ok {
			require.FileExists(t, filepath.Join(root, file))
		} else {
			require.True(t, types[parts[0]], "%s: there is no such type with a lock", parts[0])
		}
		require.False(t, listed[parts[0]], "%s is listed twice", parts[0])
		listed[parts[0]] = true
		if len(parts) == 2 {
			require.Contains(t, []string{"own", "counts", "derived", "process"}, parts[1], line)
			continue
		}
		cells := map[string]bool{}
		for _, cell := range strings.Split(parts[2], "; ") {
			m := regexp.MustCompile(`^([a-z, ]+?)(?: = ([a-z]+)|((?: Test\w+)+))$`).FindStringSubmatch(cell)
			require.NotNil(t, m, "%s: %s", parts[0], cell)
			named := strings.Split(m[1], ", ")
			for _, fault := range named {
				require.False(t, cells[fault], "%s: %s has two cells", parts[0], fault)
				cells[fault] = true
			}
			for _, name := range strings.Fields(m[3]) {
				require.True(t, tests[name], "%s: there is no %s", parts[0], name)
			}
			if m[2] != "" {
				require.True(t, reasons[m[2]], "%s: no such reason: %s", parts[0], m[2])
			}
			if m[2] == "open" {
				open += len(named)
			}
		}
		for _, fault := range faults {
			require.True(t, cells[fault], "%s: say by which test one that %s doesn't reach the others, or why it can't", parts[0], fault)
		}
	}
	require.Equal(t, allowed, open, "cells without a test or a reason: the line \"# open\" may only fall")
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
