package e2e

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// block is a fenced block of a page.
type block struct {
	line     int    // of its first fence, from 1
	language string // the first word of its info string
	// verb is the second word, where it isn't a pair; with file=, not-run= and the like the name of that.
	verb string
	// argument is what follows a verb, or the value of a pair that is a verb.
	argument string
	pairs    []pair // the other pairs, as name=value
	content  string
}

// pair is name=value in an info string.
type pair struct{ name, value string }

// reasons are why a block may go without being run. testdata/docs-not-run.golden has how many of them
// each page has.
var reasons = []string{
	"docker",    // it needs containers
	"cluster",   // it needs a Kubernetes cluster
	"tool",      // it calls a program that isn't part of the project
	"build",     // it builds or tests the project
	"sample",    // it shows the shape of a text whose values vary
	"elsewhere", // it needs an installation that the sample isn't
	"diagram",   // it is a drawing, or a list of files
}

// verbs are the possible uses of blocks of a language; "" is the default one. Those after a colon take
// an argument.
var verbs = map[string][]string{
	"sh":      {"", "engine", "background"},
	"graphql": {"", "schema"},
	"json":    {"", "variables", "request:", "printed", "token", "hook", "asked"},
	"text":    {"", "printed"},
	"http":    {""},
	"sql":     {"", "owner"},
	"go":      {"", "of:"},
}

// verbPairs are the pairs that are verbs, in any language.
var verbPairs = []string{"file", "not-run", "of"}

const fence = "```"

// splitPage gives the text between the blocks and the blocks, in turn: texts has one more.
func splitPage(page string) (texts []string, blocks []*block, err error) {
	var text, content strings.Builder
	var open *block
	for n, line := range strings.SplitAfter(page, "\n") {
		bare := strings.TrimRight(line, "\n")
		switch trimmed := strings.TrimLeft(bare, " \t>"); {
		case open != nil && bare == fence:
			open.content = content.String()
			blocks = append(blocks, open)
			open = nil
			content.Reset()
		case open != nil:
			content.WriteString(line)
		case strings.HasPrefix(trimmed, "~~~") || strings.HasPrefix(trimmed, fence) && !strings.HasPrefix(bare, fence):
			return nil, nil, fmt.Errorf("line %d: a fence is %q at the beginning of a line", n+1, fence)
		case strings.HasPrefix(bare, fence):
			if open, err = parseInfo(strings.TrimPrefix(bare, fence)); err != nil {
				return nil, nil, fmt.Errorf("line %d: %w", n+1, err)
			}
			open.line = n + 1
			texts = append(texts, text.String())
			text.Reset()
		default:
			text.WriteString(line)
		}
	}
	if open != nil {
		return nil, nil, fmt.Errorf("line %d: the block has no end", open.line)
	}
	return append(texts, text.String()), blocks, nil
}

// parseInfo reads an info string. One without a possible use of the block is an error.
func parseInfo(info string) (*block, error) {
	words := strings.Fields(info)
	if len(words) == 0 {
		return nil, errors.New("a block without an info string isn't run; see TestDocumentation for what there is")
	}
	b := &block{language: words[0]}
	for i, word := range words[1:] {
		name, value, isPair := strings.Cut(word, "=")
		switch {
		case isPair && slices.Contains(verbPairs, name):
			if b.verb != "" || value == "" {
				return nil, fmt.Errorf("%q: nothing can be done by that", info)
			}
			b.verb, b.argument = name, value
		case isPair:
			b.pairs = append(b.pairs, pair{name, value})
		case i == 0:
			b.verb = word
		case i == 1 && b.argument == "" && slices.Contains(verbs[b.language], b.verb+":"):
			b.argument = word
		default:
			return nil, fmt.Errorf("%q: unknown word %q", info, word)
		}
	}
	switch b.verb {
	case "file":
		return b, nil
	case "not-run":
		if !slices.Contains(reasons, b.argument) {
			return nil, fmt.Errorf("%q: the reasons not to run a block are %s", info, strings.Join(reasons, ", "))
		}
		return b, nil
	}
	if verb := b.verb + map[bool]string{true: ":"}[b.argument != ""]; !slices.Contains(verbs[b.language], verb) {
		return nil, fmt.Errorf("%q: nothing runs such a block", info)
	}
	return b, nil
}

func TestInfoStringsSayWhatIsRun(t *testing.T) {
	t.Parallel()
	for _, page := range []string{
		"```\nbare\n```\n",
		"```python\nprint()\n```\n",
		"```sh not-run\nrm\n```\n",
		"```sh not-run=later\nrm\n```\n",
		"```sh not-run=\nrm\n```\n",
		"```json request\n{}\n```\n",
		"```json requests /v1/metadata\n{}\n```\n",
		"```json variables x\n{}\n```\n",
		"```graphql admin\n{}\n```\n",
		"```yaml\na: 1\n```\n",
		"```sh\nls\n",
		"  ```sh\n  ls\n  ```\n",
		"> ```sh\n> ls\n> ```\n",
		"~~~sh\nls\n~~~\n",
	} {
		_, _, err := splitPage(page)
		require.Error(t, err, page)
	}
	texts, blocks, err := splitPage("a\n```graphql role=r X-Engine-N={1}\n{ x }\n```\nb\n```json request /v2/query\n{}\n```\n" +
		"```yaml file=metadata/version.yaml\nversion: 3\n```\n```text not-run=diagram\n->\n```\n")
	require.NoError(t, err)
	require.Equal(t, []string{"a\n", "b\n", "", "", ""}, texts)
	require.Equal(t, []*block{
		{line: 2, language: "graphql", pairs: []pair{{"role", "r"}, {"X-Engine-N", "{1}"}}, content: "{ x }\n"},
		{line: 6, language: "json", verb: "request", argument: "/v2/query", content: "{}\n"},
		{line: 9, language: "yaml", verb: "file", argument: "metadata/version.yaml", content: "version: 3\n"},
		{line: 12, language: "text", verb: "not-run", argument: "diagram", content: "->\n"},
	}, blocks)
}
