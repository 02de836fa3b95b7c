package program

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// relaxHelper has TestRelaxTimersHelper be a program that relaxes its timers.
const relaxHelper = "TEST_RELAX_TIMERS"

func TestRelaxTimers(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	own := timerSlack()
	for name, c := range map[string]struct {
		env  string
		want uintptr
	}{
		"a new process":             {"", relaxedSlack},
		"one that has tried before": {relaxedVariable + "=1", own},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if own != usualSlack {
				c.want = own // a value set from outside
			}
			cmd := exec.Command(self, "-test.run=^TestRelaxTimersHelper$", "-test.v")
			cmd.Env = append(os.Environ(), relaxHelper+"=1", c.env)
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
			require.Contains(t, string(out), fmt.Sprintf("process %d: %d, told: false\n", cmd.Process.Pid, c.want))
		})
	}
}

func TestRelaxTimersHelper(t *testing.T) {
	if os.Getenv(relaxHelper) == "" {
		t.Skip("it is for TestRelaxTimers")
	}
	RelaxTimers()
	// The kernel's value for the first thread is what all others have inherited.
	slack, err := os.ReadFile("/proc/self/timerslack_ns")
	require.NoError(t, err)
	_, told := os.LookupEnv(relaxedVariable)
	fmt.Fprintf(os.Stdout, "process %d: %s, told: %t\n", os.Getpid(), strings.TrimSpace(string(slack)), told)
}
