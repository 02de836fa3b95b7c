package program

import (
	"os"
	"runtime"
	"syscall"
)

const (
	prSetTimerSlack = 29 // PR_SET_TIMERSLACK
	prGetTimerSlack = 30 // PR_GET_TIMERSLACK

	// usualSlack is the kernel's default for how late a thread may be woken, in nanoseconds.
	usualSlack = 50_000
	// relaxedSlack is ours.
	relaxedSlack = 500_000
	// relaxedVariable marks a process in which RelaxTimers has run, so that it never runs twice.
	relaxedVariable = "ENGINE_TIMERS_RELAXED"
)

// RelaxTimers lets the kernel wake threads up to half a millisecond late when they wait for a
// time. It is for the first line of a main function.
//
// The Go runtime's monitor thread asks for 20 µs of sleep at a time while system calls are slow,
// which they are under load: with the kernel's default it runs 14,000 times a second in every
// process, and each time may take a processor from a goroutine that would have gone on at once.
// For services that mostly read and write sockets that is an eighth of their CPU time and more.
//
// A thread inherits the slack from the one that started it, and the monitor is started before anything
// else; so the program replaces itself, in the same process. If the slack was set from outside
// (systemd's TimerSlackNSec), or it can't be set, nothing changes.
func RelaxTimers() {
	if _, done := os.LookupEnv(relaxedVariable); done {
		_ = os.Unsetenv(relaxedVariable) // not for the processes that this one starts
		return
	}
	runtime.LockOSThread() // the slack is that of the thread
	defer runtime.UnlockOSThread()
	path, err := os.Executable()
	if err != nil || timerSlack() != usualSlack || !setTimerSlack(relaxedSlack) {
		return
	}
	_ = syscall.Exec(path, os.Args, append(os.Environ(), relaxedVariable+"=1")) // returns when it failed
	setTimerSlack(usualSlack)
}

// timerSlack is that of the thread, in nanoseconds; 0 when it is not known.
func timerSlack() uintptr {
	slack, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prGetTimerSlack, 0, 0)
	if errno != 0 {
		return 0
	}
	return slack
}

func setTimerSlack(nanoseconds uintptr) bool {
	_, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prSetTimerSlack, nanoseconds, 0)
	return errno == 0
}
