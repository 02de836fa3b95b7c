package apierror_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
)

// TestEveryCodeHasAnEntry fails when a code of this package isn't in the table, or is not used.
func TestEveryCodeHasAnEntry(t *testing.T) {
	t.Parallel()
	var documented []string
	for _, e := range apierror.Entries() {
		documented = append(documented, string(e.Code))
		require.NotEmpty(t, e.When, e.Code)
		require.NotEmpty(t, e.Do, e.Code)
	}
	declared := map[string]string{} // text of a code by the name of its constant
	file, err := parser.ParseFile(token.NewFileSet(), "apierror.go", nil, 0)
	require.NoError(t, err)
	ast.Inspect(file, func(n ast.Node) bool {
		if c, ok := n.(*ast.ValueSpec); ok {
			if kind, ok := c.Type.(*ast.Ident); ok && kind.Name == "Code" {
				declared[c.Names[0].Name], err = strconv.Unquote(c.Values[0].(*ast.BasicLit).Value)
				require.NoError(t, err)
			}
		}
		return true
	})
	source := sources(t)
	var texts []string
	for name, text := range declared {
		texts = append(texts, text)
		require.Regexp(t, `New(f|Code)?\(\s*(apierror\.)?`+name+`\b|apierror\.`+name+`, (f|")`, source, "nothing fails with "+name)
	}
	slices.Sort(texts)
	require.Equal(t, texts, documented, "the table has to have every code once, in the order of their names")
}

// TestExamplesAreMessages holds that examples are real messages: four consecutive words of each, which
// are neither names nor numbers, occur in the code.
func TestExamplesAreMessages(t *testing.T) {
	t.Parallel()
	given := regexp.MustCompile(`["'][^"']*["']|[0-9.]+|: `)
	source := sources(t)
	for _, e := range apierror.Entries() {
		if e.Code == apierror.DataException {
			continue // in the words of the database
		}
		found := false
		for _, part := range given.Split(e.Example, -1) {
			words := strings.Fields(part)
			for i := range words {
				text := strings.Join(words[i:min(i+4, len(words))], " ")
				found = found || len(text) > 7 && strings.Contains(source, text)
			}
		}
		assert.True(t, found, "no part of %q is in the code", e.Example)
	}
}

// TestDocumentation fails when docs/error-codes.md is older than the table: run make generate.
func TestDocumentation(t *testing.T) {
	t.Parallel()
	var want bytes.Buffer
	apierror.WriteMarkdown(&want)
	got, err := os.ReadFile(filepath.Join("..", "..", "docs", "error-codes.md"))
	require.NoError(t, err)
	require.Equal(t, want.String(), string(got), "docs/error-codes.md is stale: run make generate")
}

// sources are the programs but for tests and the table.
func sources(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, dir := range []string{"pkg", "services"} {
		require.NoError(t, filepath.WalkDir(filepath.Join("..", "..", dir), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || filepath.Base(path) == "entries.go" {
				return err
			}
			text, err := os.ReadFile(path)
			all.Write(text)
			return err
		}))
	}
	return all.String()
}
