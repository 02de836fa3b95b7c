package testreport_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/testreport"
)

const events = `{"Action":"run","Package":"queryengine/pkg/a","Test":"TestSlow"}
{"Action":"output","Package":"queryengine/pkg/a","Test":"TestSlow","Output":"busy\n"}
{"Action":"pass","Package":"queryengine/pkg/a","Test":"TestSlow/part","Elapsed":20.5}
{"Action":"pass","Package":"queryengine/pkg/a","Test":"TestSlow","Elapsed":20.5}
{"Action":"output","Package":"queryengine/pkg/a","Test":"TestSkipped","Output":"    a_test.go:7: node is not installed\n"}
{"Action":"output","Package":"queryengine/pkg/a","Test":"TestSkipped","Output":"--- SKIP: TestSkipped (0.00s)\n"}
{"Action":"skip","Package":"queryengine/pkg/a","Test":"TestSkipped","Elapsed":0}
{"Action":"output","Package":"queryengine/pkg/a","Test":"TestParts/one","Output":"        a_test.go:9: no connections\n"}
{"Action":"skip","Package":"queryengine/pkg/a","Test":"TestParts/one","Elapsed":0}
{"Action":"output","Package":"queryengine/pkg/a","Test":"TestParts/two","Output":"        a_test.go:9: no connections\n"}
{"Action":"skip","Package":"queryengine/pkg/a","Test":"TestParts/two","Elapsed":0}
{"Action":"fail","Package":"queryengine/pkg/a","Test":"TestFails","Elapsed":19.5}
{"Action":"fail","Package":"queryengine/pkg/a","Elapsed":90.5}
{"Action":"fail","Package":"queryengine/pkg/broken","Elapsed":0}
{"Action":"pass","Package":"queryengine/pkg/b","Elapsed":1}
`

func TestBudget(t *testing.T) {
	t.Parallel()
	run, err := testreport.Read(strings.NewReader(events))
	require.NoError(t, err)
	require.Equal(t, []testreport.Timed{
		{Name: "pkg/a TestSlow", Took: 20500 * time.Millisecond},
		{Name: "pkg/a TestFails", Took: 19500 * time.Millisecond},
		{Name: "pkg/a TestSkipped"},
	}, run.Tests)
	require.Equal(t, []testreport.Skip{
		{Name: "pkg/a TestParts", Reason: "no connections", Count: 2},
		{Name: "pkg/a TestSkipped", Reason: "node is not installed", Count: 1},
	}, run.Skips)
	require.Equal(t, []int{2, 2, 3}, []int{run.Passed, run.Failed, run.Skipped}, "the package that didn't compile counts")

	list, err := testreport.ReadList(strings.NewReader("# why\n\npkg/a TestGone: it waits for a timeout\npkg/c TestElsewhere: not run\n"))
	require.NoError(t, err)
	require.Equal(t, []testreport.Timed{
		{Name: "pkg/a", Took: 90500 * time.Millisecond},
		{Name: "pkg/a TestSlow", Took: 20500 * time.Millisecond},
	}, run.Over(list))
	require.Equal(t, []testreport.Name{"pkg/a TestGone"}, run.Unknown(list))

	list["pkg/a"], list["pkg/a TestSlow"] = "large", "a server is started"
	require.Empty(t, run.Over(list))
}

func TestListIsRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"pkg/a TestSlow\n":                       `line 1: "pkg/a TestSlow" has no reason`,
		"# a comment\npkg/a:  \n":                `line 2: "pkg/a:" has no reason`,
		"pkg/a: large\npkg/a: still too large\n": "line 2: pkg/a is listed twice",
	} {
		_, err := testreport.ReadList(strings.NewReader(text))
		require.EqualError(t, err, want)
	}
	_, err := testreport.Read(strings.NewReader("ok pkg/a\n"))
	require.ErrorContains(t, err, "not an event of go test -json")
}
