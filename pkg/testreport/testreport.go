// Package testreport reads the events of go test -json and reports what was skipped and why, and which tests and packages take longer
// than they may.
//
// A package may take 90 s and a test 20 s. What takes longer has a line in a list: its name and the reason. Subtests count as part of
// their test.
package testreport

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"
)

// How long a package and a test may take without a line in the list.
const (
	PackageLimit = 90 * time.Second
	TestLimit    = 20 * time.Second
)

// maxLine is the longest event that is read, in bytes: one line of output.
const maxLine = 64 << 20

// module is what all names of packages begin with, "queryengine/" until scripts/module-path changes it.
var module = strings.TrimSuffix(reflect.TypeFor[Timed]().PkgPath(), "pkg/testreport")

// Name is a package, or a test of it, without the part that all have in common: "pkg/cron" or "pkg/cron TestNext".
type Name string

// Timed is how long a package or test took.
type Timed struct {
	Name Name
	Took time.Duration
}

// Run is what a run of tests did.
type Run struct {
	// Tests and Packages are those that ran, the slowest first.
	Tests, Packages []Timed
	// Skips has the tests that were skipped and how many of their subtests for the same reason, by package, test and reason.
	Skips []Skip
	// Passed, Failed and Skipped count tests and subtests. A package that failed without a failed test counts as one.
	Passed, Failed, Skipped int
}

// Skip is a test that was skipped, itself or in part.
type Skip struct {
	Name   Name
	Reason string
	Count  int
}

// event is a line of go test -json; Elapsed is in seconds.
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64
}

// reader collects a Run.
type reader struct {
	run Run
	// failed are the packages with a failed test.
	failed map[string]bool
	// said is the last message of each test that hasn't ended.
	said  map[[2]string]string
	skips map[Skip]int
}

// Read reads the events of go test -json.
func Read(events io.Reader) (*Run, error) {
	r := reader{failed: map[string]bool{}, said: map[[2]string]string{}, skips: map[Skip]int{}}
	lines := bufio.NewScanner(events)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("not an event of go test -json: %w", err)
		}
		r.add(e)
	}
	for _, of := range [][]Timed{r.run.Tests, r.run.Packages} {
		slices.SortStableFunc(of, func(a, b Timed) int { return cmp.Compare(b.Took, a.Took) })
	}
	for skip, count := range r.skips {
		skip.Count = count
		r.run.Skips = append(r.run.Skips, skip)
	}
	slices.SortFunc(r.run.Skips, func(a, b Skip) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Reason, b.Reason))
	})
	return &r.run, lines.Err()
}

// message is what a test says by t.Log, t.Skip and the like.
var message = regexp.MustCompile(`^\s*\w+\.go:\d+: (.*)`)

func (r *reader) add(e event) {
	test := [2]string{e.Package, e.Test}
	if m := message.FindStringSubmatch(e.Output); m != nil && e.Test != "" {
		r.said[test] = m[1]
	}
	if e.Action != "pass" && e.Action != "fail" && e.Action != "skip" {
		return
	}
	name := Name(strings.TrimPrefix(e.Package, module))
	took := time.Duration(e.Elapsed * float64(time.Second))
	if e.Test == "" {
		r.run.Packages = append(r.run.Packages, Timed{name, took})
		if e.Action == "fail" && !r.failed[e.Package] {
			r.run.Failed++
		}
		return
	}
	top, _, isPart := strings.Cut(e.Test, "/")
	name += Name(" " + top)
	if !isPart {
		r.run.Tests = append(r.run.Tests, Timed{name, took})
	}
	switch e.Action {
	case "pass":
		r.run.Passed++
	case "fail":
		r.run.Failed++
		r.failed[e.Package] = true
	case "skip":
		r.run.Skipped++
		r.skips[Skip{Name: name, Reason: r.said[test]}]++
	}
	delete(r.said, test)
}

// List has the reasons of what may take longer.
type List map[Name]string

// ReadList reads a list: in each line a name, a colon and the reason. Lines that begin with # are comments.
func ReadList(text io.Reader) (List, error) {
	list := List{}
	lines := bufio.NewScanner(text)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, reason, _ := strings.Cut(line, ":")
		if reason = strings.TrimSpace(reason); reason == "" {
			return nil, fmt.Errorf("line %d: %q has no reason", n, line)
		}
		if _, twice := list[Name(name)]; twice {
			return nil, fmt.Errorf("line %d: %s is listed twice", n, name)
		}
		list[Name(name)] = reason
	}
	return list, lines.Err()
}

// Over returns the tests and packages over their limit that the list doesn't have.
func (r *Run) Over(list List) []Timed {
	var over []Timed
	for limit, of := range map[time.Duration][]Timed{PackageLimit: r.Packages, TestLimit: r.Tests} {
		for _, t := range of {
			if _, listed := list[t.Name]; t.Took > limit && !listed {
				over = append(over, t)
			}
		}
	}
	slices.SortFunc(over, func(a, b Timed) int { return cmp.Compare(a.Name, b.Name) })
	return over
}

// Unknown returns the names in the list that the run doesn't have, in order. Tests of packages that didn't run are not among them.
func (r *Run) Unknown(list List) []Name {
	ran := map[Name]bool{}
	for _, of := range [][]Timed{r.Packages, r.Tests} {
		for _, t := range of {
			ran[t.Name] = true
		}
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(list)), func(n Name) bool {
		of, _, isTest := strings.Cut(string(n), " ")
		return ran[n] || !isTest || !ran[Name(of)]
	})
}
