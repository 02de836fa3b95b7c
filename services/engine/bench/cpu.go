package bench

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// tick is the unit of times in /proc, the same on all Linux systems.
const tick = 10 * time.Millisecond

// cpuTime is the CPU time of processes so far, that of children that have ended included.
func cpuTime(pids []int) (time.Duration, error) {
	var sum time.Duration
	for _, pid := range pids {
		s, err := readStat(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
		if err != nil {
			return 0, err
		}
		sum += s.cpu
	}
	return sum, nil
}

// familyTime is the CPU time so far of a process and of its children, running or ended.
func familyTime(pid int) (time.Duration, error) {
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0, err
	}
	sum, err := cpuTime([]int{pid})
	for _, file := range files {
		s, statErr := readStat(file)
		if statErr == nil && s.parent == pid { // one that has just ended can't be read
			sum += s.cpu
		}
	}
	return sum, err
}

// machineTime is the time so far that the processors of the machine were busy.
func machineTime() (time.Duration, error) {
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, err
	}
	first, _, _ := bytes.Cut(b, []byte("\n"))
	fields := bytes.Fields(first)
	if len(fields) < 8 || string(fields[0]) != "cpu" {
		return 0, fmt.Errorf("/proc/stat begins with %q", first)
	}
	ticks := 0
	for i, field := range fields[1:8] { // user nice system idle iowait irq softirq
		n, err := strconv.Atoi(string(field))
		if err != nil {
			return 0, err
		}
		if i != 3 && i != 4 {
			ticks += n
		}
	}
	return time.Duration(ticks) * tick, nil
}

type processStat struct {
	parent int
	cpu    time.Duration
}

func readStat(file string) (processStat, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return processStat{}, err
	}
	// The name, in parentheses, may itself hold spaces and parentheses.
	end := bytes.LastIndexByte(b, ')')
	if end < 0 {
		return processStat{}, fmt.Errorf("%s has no name of a process", file)
	}
	fields := bytes.Fields(b[end+1:])
	number := func(i int) int { // of proc(5), which counts from 1 and has the state at 3
		if i-3 >= len(fields) {
			return 0
		}
		n, _ := strconv.Atoi(string(fields[i-3])) // the fields asked for are numbers
		return n
	}
	ticks := number(14) + number(15) + number(16) + number(17)
	return processStat{parent: number(4), cpu: time.Duration(ticks) * tick}, nil
}
