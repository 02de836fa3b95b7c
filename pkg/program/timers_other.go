//go:build !linux

package program

// RelaxTimers does nothing: only Linux lets a process say how late it may be woken.
func RelaxTimers() {}
