package localpg

import (
	"os/exec"
	"runtime"
)

// runUntilDone starts cmd and closes done when it has ended. The thread that starts it
// waits for it too: Linux sends the parent-death signal when that thread ends, not when
// the process does.
func runUntilDone(cmd *exec.Cmd, done chan<- struct{}) error {
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err != nil {
			return
		}
		_ = cmd.Wait() // how it ended is in its log
		close(done)
	}()
	return <-started
}
