package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
	"time"
)

// tick is the unit of the kernel's CPU times; USER_HZ is 100 on every Linux
// that Go runs on.
const tick = 10 * time.Millisecond

// cpuTime is what a process has used so far. None of the processes here has
// children of its own.
func cpuTime(pid int) (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The name may hold anything, so the fields count from its end.
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	const user, system = 11, 12
	if len(fields) <= system {
		return 0, fmt.Errorf("/proc/%d/stat: %d fields", pid, len(fields))
	}
	sum, err := add(fields[user : system+1])
	return time.Duration(sum) * tick, err
}

// memory is how much of a process is in RAM, in MiB.
func memory(pid int) (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0, err
	}
	fields := bytes.Fields(text)
	if len(fields) < 2 {
		return 0, fmt.Errorf("/proc/%d/statm: %d fields", pid, len(fields))
	}
	pages, err := add(fields[1:2])
	return float64(pages) * float64(os.Getpagesize()) / (1 << 20), err
}

// machine is how long all cores together were at work, and how long they
// could have been.
func machine() (busy, whole time.Duration, err error) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, 0, err
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	fields := bytes.Fields(line)
	// user, nice, system, idle, iowait, irq, softirq, steal; what follows is
	// counted in user already.
	const count, idle, iowait = 8, 3, 4
	if len(fields) <= count {
		return 0, 0, fmt.Errorf("/proc/stat: %d fields", len(fields))
	}
	fields = fields[1 : count+1]
	all, err := add(fields)
	if err != nil {
		return 0, 0, err
	}
	rest, err := add(fields[idle : iowait+1])
	return time.Duration(all-rest) * tick, time.Duration(all) * tick, err
}

func add(fields [][]byte) (int64, error) {
	var sum int64
	for _, f := range fields {
		n, err := strconv.ParseInt(string(f), 10, 64)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

const (
	// restFor is how long a process must do next to nothing to be at rest.
	restFor   = 150 * time.Millisecond
	restLimit = 20 * time.Second
)

// rest waits until the process has no work left, and returns its CPU time
// then: what it puts off is part of what a request costs.
func rest(ctx context.Context, pid int) (time.Duration, error) {
	every := time.NewTicker(restFor)
	defer every.Stop()
	last, err := cpuTime(pid)
	for until := time.Now().Add(restLimit); err == nil && time.Now().Before(until); {
		select {
		case <-every.C:
		case <-ctx.Done():
			return last, ctx.Err()
		}
		var now time.Duration
		if now, err = cpuTime(pid); now-last <= tick {
			return last, err
		}
		last = now
	}
	return last, err
}
