// Command tested writes docs/tested.md, of what the tests of make test-kinds have proven. Its arguments are the page as it was, the commit and the
// date; the input has a backendtest.Tested in each line. What is known of servers that this run hadn't stays.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"queryengine/pkg/backend/backendtest"
)

// proven is what was proven, when and of what.
type proven struct {
	backendtest.Tested
	commit, date string
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: tested PAGE COMMIT DATE")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "tested:", err)
		os.Exit(1)
	}
}

func run(file, commit, date string) error {
	was, err := os.ReadFile(file) //nolint:gosec // the caller's
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	all, err := known(string(was))
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	servers := map[string]bool{}
	var now []proven
	for lines.Scan() {
		one := proven{commit: commit, date: date}
		if err := json.Unmarshal(lines.Bytes(), &one.Tested); err != nil {
			return err
		}
		now, servers[one.Server] = append(now, one), true
	}
	all = slices.DeleteFunc(all, func(one proven) bool { return servers[one.Server] })
	all = append(all, now...)
	slices.SortFunc(all, func(a, b proven) int {
		return cmp.Or(strings.Compare(a.Server, b.Server), strings.Compare(a.Tests, b.Tests), strings.Compare(a.Layout, b.Layout))
	})
	fmt.Print(page(all))
	return lines.Err()
}

// known are the rows of a page.
func known(page string) ([]proven, error) {
	var all []proven
	var section *proven
	for line := range strings.Lines(page) {
		if title, found := strings.CutPrefix(strings.TrimSpace(line), "## "); found {
			at := slices.IndexFunc(all, func(one proven) bool { return one.title() == title })
			if at < 0 {
				return nil, fmt.Errorf("no row is of %q", title)
			}
			section = &all[at]
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if !strings.HasPrefix(line, "| ") || cells[0] == " server" || cells[0] == " test" {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if section != nil && len(cells) == 2 {
			section.Except[cells[0]] = cells[1]
			continue
		}
		if len(cells) != 7 {
			return nil, fmt.Errorf("a row of %d cells: %s", len(cells), line)
		}
		cases, err := strconv.Atoi(cells[3])
		if err != nil {
			return nil, err
		}
		all = append(all, proven{
			Tested: backendtest.Tested{Server: cells[0], Tests: cells[1], Layout: cells[2], Cases: cases, Except: map[string]string{}}, commit: cells[5], date: cells[6],
		})
	}
	return all, nil
}

func (p *proven) title() string { return p.Server + ", " + p.Tests + ", " + p.Layout }

// page is the text of docs/tested.md.
func page(all []proven) string {
	var b strings.Builder
	b.WriteString(`# Tested databases

` + "`make test-kinds`" + ` writes this page of its runs on the servers below. ` + "`make test`" + ` tests PostgreSQL and SQLite. Every other kind of
database that this page doesn't list is a preview. Babelfish stands for SQL Server, and the emulator for BigQuery: these themselves are previews.

| server | tests | layout of the tables | passed | exceptions | commit | date |
|---|---|---|--:|--:|---|---|
`)
	for _, one := range all {
		fmt.Fprintf(&b, "| %s | %s | %s | %d | %d | %s | %s |\n", one.Server, one.Tests, one.Layout, one.Cases, len(one.Except), one.commit, one.date)
	}
	for _, one := range all {
		if len(one.Except) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\nThe server can't do these, for its own reasons, or the kind doesn't have them:\n\n| test | reason |\n|---|---|\n", one.title())
		for _, name := range slices.Sorted(maps.Keys(one.Except)) {
			fmt.Fprintf(&b, "| %s | %s |\n", name, one.Except[name])
		}
	}
	return b.String()
}
