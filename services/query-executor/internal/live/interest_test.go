package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/services/query-executor/internal/execute"
)

// textMatch decides by columns a and b: a row matters to a cohort whose first value a has, and whose second one b is or
// may be.
type textMatch struct{}

type textImage []backend.Cell

type textTest [][]byte

func (textMatch) Table() catalog.Name { return catalog.Name{Name: "t"} }

func (textMatch) Columns() []backend.MatchColumn {
	return []backend.MatchColumn{{Name: "a", Type: "25", Collation: backend.CollationDeterministic}, {Name: "b", Type: "23"}}
}

func (textMatch) Image(cells []backend.Cell) backend.RowImage { return textImage(cells) }

func (textMatch) Test(cohort [][]byte) backend.RowTest { return textTest(cohort) }

func (i textImage) Key() (backend.RowKey, bool) {
	return backend.RowKey{Text: i[0].Text, Null: i[0].State == backend.CellNull}, i[0].State != backend.CellUnknown
}

// Keys are not known of a cohort without a first value.
func (t textTest) Keys() ([]backend.RowKey, bool) {
	return []backend.RowKey{{Text: string(t[0])}}, t[0] != nil
}

func (t textTest) Maybe(row backend.RowImage) bool {
	image, _ := row.(textImage)
	for i, cell := range image {
		if t[i] != nil && cell.State != backend.CellUnknown && cell.Text != string(t[i]) {
			return false
		}
	}
	return true
}

func (t textTest) Cost() int { return 1000 }

func cell(text string) backend.Cell {
	switch text {
	case "?":
		return backend.Cell{State: backend.CellUnknown}
	case "=":
		return backend.Cell{State: backend.CellKept}
	case "-":
		return backend.Cell{}
	}
	return backend.Cell{State: backend.CellText, Text: text}
}

// changedRows are written as "old>new", with one letter for each value.
func changedRows(columns string, rows ...string) *backend.ChangedRows {
	cells := func(texts string) (list []backend.Cell) {
		for _, c := range texts {
			list = append(list, cell(string(c)))
		}
		return list
	}
	out := &backend.ChangedRows{Columns: strings.Split(columns, "")}
	for _, row := range rows {
		before, after, _ := strings.Cut(row, ">")
		out.Rows = append(out.Rows, backend.ChangedRow{Old: cells(before), New: cells(after)})
	}
	return out
}

func TestImagesOfChanges(t *testing.T) {
	t.Parallel()
	told := func(name, kind string, collation backend.Collation) backend.ToldColumn {
		return backend.ToldColumn{Name: name, Type: kind, Collation: collation}
	}
	a, b := told("a", "25", backend.CollationDeterministic), told("b", "23", backend.CollationUnknown)
	usual := newInterest([]string{"a", "b", "c"}, textMatch{}, []backend.ToldColumn{a, b, told("c", "25", 0)})
	for name, c := range map[string]struct {
		interest *interest
		rows     *backend.ChangedRows
		want     string // images, or all
	}{
		"not known":              {usual, nil, "all"},
		"inserted":               {usual, changedRows("abc", ">12?"), "12"},
		"deleted":                {usual, changedRows("cba", "?21>"), "12"},
		"changed":                {usual, changedRows("abc", "12?>13="), "12 13"},
		"old values not known":   {usual, changedRows("abc", "1??>12?"), "1? 12"},
		"kept is what it was":    {usual, changedRows("abc", "12?>1=?"), "12"},
		"kept, of nothing known": {usual, changedRows("abc", "1??>1=?"), "1?"},
		"another column":         {usual, changedRows("abcd", "12?3>12=4", "22?->22?-"), "22"},
		"nothing of it":          {usual, changedRows("abcd", "12?3>12=4"), ""},
		"a column isn't told":    {usual, changedRows("ab", "12>12"), "12"},
		"null":                   {usual, changedRows("abc", "-2?>-2="), ""},
		"no subscriber matches":  {newInterest([]string{"c"}, nil, []backend.ToldColumn{a}), changedRows("c", ">1"), "all"},
		"and nothing has changed": {
			newInterest([]string{"c"}, nil, []backend.ToldColumn{a}), changedRows("c", "?>="), "",
		},
		"any update may matter": {newInterest(nil, nil, []backend.ToldColumn{a}), changedRows("c", "?>="), "all"},
		"of a view":             {newInterest([]string{"a"}, textMatch{}, nil), changedRows("a", "?>="), "all"},
		"another type":          {newInterest(nil, textMatch{}, []backend.ToldColumn{told("a", "1043", 2), b}), changedRows("ab", ">12"), "?2"},
		"another collation":     {newInterest(nil, textMatch{}, []backend.ToldColumn{told("a", "25", 0), b}), changedRows("ab", ">12"), "?2"},
		"nothing that decides":  {newInterest(nil, textMatch{}, []backend.ToldColumn{told("a", "25", 0)}), changedRows("ab", ">12"), "all"},
	} {
		images, all := c.interest.images(c.rows)
		var got []string
		for _, image := range images {
			text := ""
			for _, cell := range image.(textImage) { //nolint:forcetypeassert // fails the test
				text += map[backend.CellState]string{backend.CellText: cell.Text, backend.CellUnknown: "?", backend.CellNull: "-"}[cell.State]
			}
			got = append(got, text)
		}
		if all {
			got = append(got, "all")
		}
		require.Equal(t, c.want, strings.Join(got, " "), name)
	}
}

// watching notes what is requested. Tables whose names begin with v are views.
type watching struct {
	backend.Changes
	asked []string
}

func (w *watching) Watch(_ context.Context, names []catalog.Name) ([]string, error) {
	for _, n := range names {
		w.asked = append(w.asked, n.Name)
	}
	return []string{"of " + names[0].Name}, nil
}

func (w *watching) WatchRows(_ context.Context, n catalog.Name, c backend.RowColumns) (ids []string, known []backend.ToldColumn, err error) {
	w.asked = append(w.asked, fmt.Sprint(n.Name, c.Told, c.Compared))
	switch n.Name {
	case "none":
		return nil, nil, errors.New("no")
	case "view":
		return []string{"t"}, nil, nil
	}
	return []string{n.Name}, []backend.ToldColumn{{Name: "a", Type: "25", Collation: backend.CollationBytes}}, nil
}

func TestWatchTables(t *testing.T) {
	t.Parallel()
	name := func(s string) catalog.Name { return catalog.Name{Name: s} }
	l := &execute.Live{
		Tables: []catalog.Name{name("u"), name("t"), name("view"), name("whole"), name("wide")}, Match: textMatch{},
		Columns: map[catalog.Name][]string{name("t"): {"c", "a", "b"}, name("view"): {"a"}, name("u"): {"x"}, name("wide"): make([]string, mostCompared+1)},
	}
	w := &watching{}
	found, err := watchTables(t.Context(), w, l)
	require.NoError(t, err)
	require.Equal(t, []string{"u[] [x]", "t[a b] [c]", "view[] [a]", "whole", "wide"}, w.asked)
	require.Equal(t, map[string]*interest{"u": {table: true, columns: []string{"x"}}, "t": {}, "of whole": {}}, found, "the view reads t, too")
	l.Tables = l.Tables[:2]
	found, err = watchTables(t.Context(), w, l)
	require.NoError(t, err)
	require.Equal(t, &interest{table: true, columns: []string{"c", "a", "b"}, match: textMatch{}, usable: []bool{true, false}}, found["t"])
	w = &watching{}
	_, err = watchTables(t.Context(), struct{ backend.Changes }{w}, l)
	require.NoError(t, err)
	require.Equal(t, []string{"u", "t"}, w.asked)
	l.Columns[name("none")] = []string{"a"}
	l.Tables = append(l.Tables, name("none"))
	_, err = watchTables(t.Context(), w, l)
	require.Error(t, err)
}

// TestRowsTouchCohorts, of which some are found by keys, and some aren't.
func TestRowsTouchCohorts(t *testing.T) {
	t.Parallel()
	p := &poller{manager: New(Deps{Metrics: NewMetrics(nil, false)}), live: &execute.Live{Match: textMatch{}}, cohorts: map[string]*cohort{}, index: newIndex(), wake: make(chan struct{}, 1)}
	cohorts := map[string]*cohort{}
	for _, values := range []string{"11", "12", "13", "21", "?1", "??"} {
		bound := [][]byte{[]byte(values[:1]), []byte(values[1:])}
		for i := range bound {
			if string(bound[i]) == "?" {
				bound[i] = nil
			}
		}
		cohorts[values] = p.newCohort(values, bound)
	}
	touched := func(rows ...string) string {
		var images []backend.RowImage
		for _, row := range rows {
			images = append(images, textImage{cell(row[:1]), cell(row[1:])})
		}
		p.noticeRows(images, 0)
		var list []string
		for _, values := range []string{"11", "12", "13", "21", "?1", "??"} {
			if cohorts[values].due {
				list = append(list, values)
			}
		}
		signaled := len(p.wake) > 0
		require.Equal(t, len(list) > 0, signaled, "nothing wakes it but what has to be run")
		if signaled {
			<-p.wake
		}
		run, _, _ := p.begin(false)
		require.Len(t, run, len(list))
		return strings.Join(list, " ")
	}
	require.Empty(t, touched())
	require.Equal(t, "11 ?1 ??", touched("11"))
	require.Equal(t, "11 12 13 ?1 ??", touched("1?"))
	require.Equal(t, "11 21 ?1 ??", touched("?1"))
	require.Equal(t, "?1 ??", touched("-1"))
	require.Equal(t, "12 21 ?1 ??", touched("12", "21"))
	for _, values := range []string{"11", "?1", "??"} {
		p.drop(cohorts[values])
	}
	require.Empty(t, touched("11"))
	require.Equal(t, "12", touched("12"))
	for _, values := range []string{"12", "13", "21"} {
		p.drop(cohorts[values])
	}
	require.Empty(t, p.index.keyed)
	require.Empty(t, p.index.open)
}

// TestRowsTouchAllCohorts where it is too much to decide which.
func TestRowsTouchAllCohorts(t *testing.T) {
	t.Parallel()
	p := &poller{manager: New(Deps{Metrics: NewMetrics(nil, false)}), live: &execute.Live{Match: textMatch{}}, cohorts: map[string]*cohort{}, index: newIndex(), wake: make(chan struct{}, 1)}
	for i := range mostWork/1000 + 1 {
		p.newCohort(strconv.Itoa(i), [][]byte{nil, []byte(strconv.Itoa(i))})
	}
	p.noticeRows([]backend.RowImage{textImage{cell("1"), cell("x")}}, 0)
	require.True(t, p.changed.Load())
	p.changed.Store(false)
	p.drop(p.cohorts["0"])
	p.noticeRows([]backend.RowImage{textImage{cell("1"), cell("x")}}, 0)
	require.False(t, p.changed.Load())
}

// TestChangesThatAreVisibleTogetherRunOnce, also when a run begins between the messages that report them.
func TestChangesThatAreVisibleTogetherRunOnce(t *testing.T) {
	t.Parallel()
	p := &poller{manager: New(Deps{Metrics: NewMetrics(nil, false)}), live: &execute.Live{Match: textMatch{}}, cohorts: map[string]*cohort{}, index: newIndex(), wake: make(chan struct{}, 1)}
	for _, key := range []string{"1", "2"} {
		p.newCohort(key, [][]byte{[]byte(key), nil})
	}
	tell := func(key string, position uint64) {
		p.noticeRows([]backend.RowImage{textImage{cell(key), cell("x")}}, position)
	}
	run := func() (keys []string) {
		cohorts, _, _ := p.begin(p.changed.Swap(false))
		for _, c := range cohorts {
			keys = append(keys, c.key)
		}
		slices.Sort(keys)
		return keys
	}
	tell("1", 10)
	require.Equal(t, []string{"1"}, run())
	tell("1", 10)
	require.Empty(t, run())
	tell("2", 10)
	require.Equal(t, []string{"2"}, run())
	tell("1", 9) // which had to wait for a standby server
	require.Equal(t, []string{"1"}, run())
	p.noticeAll(11)
	require.Equal(t, []string{"1", "2"}, run())
	p.noticeAll(11)
	tell("1", 11)
	require.Empty(t, run())
	p.noticeAll(0)
	require.Len(t, run(), 2)
	p.noticeAll(0)
	tell("1", 0)
	require.Len(t, run(), 2, "nothing is known without a position")
}
