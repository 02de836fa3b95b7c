// Command tested writes docs/tested.md, of what the tests of make test-kinds have proven. Its arguments are the commit and the date; the
// input has a backendtest.Tested in each line.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"queryengine/pkg/backend/backendtest"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: tested COMMIT DATE")
		os.Exit(2)
	}
	var all []backendtest.Tested
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var one backendtest.Tested
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			fmt.Fprintln(os.Stderr, "tested:", err)
			os.Exit(1)
		}
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b backendtest.Tested) int {
		return cmp.Or(strings.Compare(a.Server, b.Server), strings.Compare(a.Tests, b.Tests), strings.Compare(a.Layout, b.Layout))
	})
	fmt.Print(page(all, os.Args[1], os.Args[2]))
}

// page is the text of docs/tested.md.
func page(all []backendtest.Tested, commit, date string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Tested databases

`+"`make test-kinds`"+` wrote this page on %s, at commit %s, of its runs on the servers below. `+"`make test`"+` tests PostgreSQL
and SQLite. Every other kind of database that this page doesn't list is a preview.

| server | tests | layout of the tables | passed | exceptions |
|---|---|---|--:|--:|
`, date, commit)
	for _, one := range all {
		fmt.Fprintf(&b, "| %s | %s | %s | %d | %d |\n", one.Server, one.Tests, one.Layout, one.Cases, len(one.Except))
	}
	for _, one := range all {
		if len(one.Except) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n## %s, %s, %s\n\nThe server can't do these, for its own reasons:\n\n| test | reason |\n|---|---|\n", one.Server, one.Tests, one.Layout)
		for _, name := range slices.Sorted(maps.Keys(one.Except)) {
			fmt.Fprintf(&b, "| %s | %s |\n", name, one.Except[name])
		}
	}
	return b.String()
}
