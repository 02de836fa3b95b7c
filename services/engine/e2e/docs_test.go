package e2e

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the answers into the documentation")

var documentationRoot = filepath.Join("..", "..", "..")

// TestDocumentation runs every block of every page in its order, each page in a directory and on an
// engine of its own, with the sample. What is done with a block is in its info string:
//
//	```sh                           commands, which have to succeed; what one exports the next ones have
//	```sh engine                    how the engine is started, instead of make run and of the one that runs
//	```sh background                a program that runs until the end of the page, such as engine echo
//	```graphql role=R Header=value  a query, as admin without a role; at=/path for another endpoint;
//	                                of a subscription the first result
//	```graphql schema               a schema, which has to be valid
//	```json variables               the variables of the query behind it
//	```json request /path           a request that has to succeed; Header=value as above
//	```http                         a request as it goes over the wire, which has to succeed
//	```sql                          SQL for run_sql
//	```sql owner                    statements in a database with the tables of the sample, whose address
//	                                is in SHOP_DATABASE_URL; their rows are the answer
//	```json                         the answer to the block before; "..." is any value
//	```text                         the same as text, and what commands print; ... is the rest of a line
//	```json printed                 a line that a program in the background prints, sooner or later
//	```text printed                 the same as text, with more lines
//	```json token                   the payload of the token of the next query, signed by a provider
//	```json hook                    the answer of the authentication webhook to the requests behind it
//	```json asked                   the last request to that webhook
//	```go of=path                   a part of a file that is compiled anyway
//	```go import=path               statements
//	```yaml file=path               any language: a file in the directory of the page
//	```sh not-run=reason            any language: why it isn't run; testdata/docs-not-run.golden counts them
//
// A page that adds a source of BigQuery has a server with the dataset web in its place.
//
// Addresses of this machine with port 8080 are the engine, others are programs in the
// background: give the same port on one page to what is the same.
func TestDocumentation(t *testing.T) {
	t.Parallel()
	counts := map[string]int{}
	for _, name := range documents(t) {
		text, err := os.ReadFile(filepath.Join(documentationRoot, name))
		require.NoError(t, err)
		_, blocks, err := splitPage(string(text))
		require.NoError(t, err, name)
		run := false
		for _, b := range blocks {
			if b.verb == "not-run" {
				counts[name+" "+b.argument]++
			} else {
				run = true
			}
		}
		if !run {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPage(t)
			written := p.run(string(text))
			if *update && written != string(text) {
				require.NoError(t, os.WriteFile(filepath.Join(documentationRoot, name), []byte(written), 0o600))
			}
		})
	}
	var notRun strings.Builder
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(&notRun, "%s %d\n", key, counts[key])
	}
	golden := filepath.Join("testdata", "docs-not-run.golden")
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(notRun.String()), 0o600))
	}
	expected, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(expected), notRun.String(), "blocks that aren't run, by page and reason")
}

// documents are the pages, from the root of the project.
func documents(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(documentationRoot, "docs", "*.md"))
	require.NoError(t, err)
	pages := []string{"README.md"}
	for _, path := range paths {
		pages = append(pages, "docs/"+filepath.Base(path))
	}
	require.Greater(t, len(pages), 20)
	return pages
}

var (
	links    = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	headings = regexp.MustCompile(`(?m)^#+ (.*)$`)
)

// TestSidebar: docs/README.md lists every page once, and README.md, which is short, leads there.
func TestSidebar(t *testing.T) {
	t.Parallel()
	sidebar, err := os.ReadFile(filepath.Join(documentationRoot, "docs", "README.md"))
	require.NoError(t, err)
	var listed []string
	for _, link := range links.FindAllStringSubmatch(string(sidebar), -1) {
		if !strings.Contains(link[1], "/") {
			listed = append(listed, "docs/"+link[1])
		}
	}
	pages := slices.DeleteFunc(documents(t), func(name string) bool { return strings.HasSuffix(name, "README.md") })
	require.ElementsMatch(t, pages, listed)

	readme, err := os.ReadFile(filepath.Join(documentationRoot, "README.md"))
	require.NoError(t, err)
	require.Less(t, strings.Count(string(readme), "\n"), 150)
	require.Contains(t, string(readme), "(docs/README.md)")
}

var decisionStatus = regexp.MustCompile(`(?m)^Status: (accepted|superseded by (\d{3}))\n`)

// TestDecisions: each decision is listed and has a status, and nothing but the status of a decision is edited. -update adds the
// checksum of a new one.
func TestDecisions(t *testing.T) {
	t.Parallel()
	list, err := os.ReadFile(filepath.Join(documentationRoot, "docs", "decisions", "README.md"))
	require.NoError(t, err)
	sums := filepath.Join(documentationRoot, ".ci", "decisions.sum")
	text, err := os.ReadFile(sums)
	require.NoError(t, err)
	known := map[string]string{}
	for line := range strings.Lines(string(text)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		known[name] = sum
	}
	names := decisions(t)
	for _, name := range names {
		require.Contains(t, string(list), "("+filepath.Base(name)+")")
		text, err := os.ReadFile(filepath.Join(documentationRoot, name))
		require.NoError(t, err)
		status := decisionStatus.FindStringSubmatch(string(text))
		require.NotNil(t, status, "%s: a line with its status", name)
		if status[2] != "" {
			require.True(t, slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(filepath.Base(n), status[2]+"-") }), "%s: %s", name, status[0])
		}
		sum := fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Replace(string(text), status[0], "", 1))))
		if *update && known[name] == "" {
			known[name] = sum
		}
		require.Equal(t, known[name], sum, "%s: write a new decision that supersedes it", name)
	}
	if *update {
		var all strings.Builder
		for _, name := range names {
			fmt.Fprintf(&all, "%s  %s\n", known[name], name)
		}
		require.NoError(t, os.WriteFile(sums, []byte(all.String()), 0o600))
	}
}

// decisions are the documents of docs/decisions, without their list.
func decisions(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(documentationRoot, "docs", "decisions", "[0-9]*.md"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for i, path := range paths {
		paths[i] = "docs/decisions/" + filepath.Base(path)
	}
	return paths
}

// TestLinks: what a page links to within the project is there, down to the heading.
func TestLinks(t *testing.T) {
	t.Parallel()
	for _, name := range append(append(documents(t), decisions(t)...), "docs/benchmarks/2026-11.md", "docs/decisions/README.md", "CONTRIBUTING.md", "SECURITY.md") {
		text, err := os.ReadFile(filepath.Join(documentationRoot, name))
		require.NoError(t, err)
		texts, _, err := splitPage(string(text))
		require.NoError(t, err, name)
		for _, link := range links.FindAllStringSubmatch(strings.Join(texts, ""), -1) {
			if strings.Contains(link[1], "://") {
				continue
			}
			file, anchor, _ := strings.Cut(link[1], "#")
			target := filepath.Join(documentationRoot, filepath.Dir(name), file)
			if file == "" {
				target = filepath.Join(documentationRoot, name)
			}
			if anchor == "" {
				require.FileExists(t, target, name)
				continue
			}
			page, err := os.ReadFile(target)
			require.NoError(t, err, name)
			require.Contains(t, anchors(string(page)), anchor, "%s links to %s", name, link[1])
		}
	}
}

var notInAnchors = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

// anchors are the names of a page's headings in links.
func anchors(page string) []string {
	var names []string
	for _, heading := range headings.FindAllStringSubmatch(page, -1) {
		name := notInAnchors.ReplaceAllString(strings.ToLower(heading[1]), "")
		names = append(names, strings.ReplaceAll(name, " ", "-"))
	}
	return names
}
