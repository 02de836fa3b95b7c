//go:build !linux

package program

// RelaxTimers does nothing: only Linux lets a process choose how late it may be woken.
func RelaxTimers() {}
