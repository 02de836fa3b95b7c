package backendtest

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestedVariable names the file that tests on real servers add what they have proven to: make test-kinds makes docs/tested.md of it.
const TestedVariable = "ENGINE_TEST_TESTED"

// Tested is what was proven on a server.
type Tested struct {
	// Server is its name with its version, Tests what ran on it, in which layout of the tables.
	Server, Tests, Layout string
	Cases                 int
	// Except are the tests that the server can't pass, with its reasons.
	Except map[string]string
}

// Report adds what a test has proven to the file, unless it failed or there is none.
func Report(t testing.TB, proven Tested) {
	t.Helper()
	name := os.Getenv(TestedVariable)
	if name == "" || t.Failed() {
		return
	}
	line, err := json.Marshal(proven)
	require.NoError(t, err)
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644) //nolint:gosec // the caller's
	require.NoError(t, err)
	defer file.Close() //nolint:errcheck // Write tells
	_, err = file.Write(append(line, '\n'))
	require.NoError(t, err)
}
