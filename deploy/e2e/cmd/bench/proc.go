package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// tick is the unit of the kernel's CPU times; USER_HZ is 100 on every Linux
// that Go runs on.
const tick = 10 * time.Millisecond

// processes are all that run at a moment, by their ids.
type processes map[int]process

type process struct {
	parent int
	// used is the CPU time so far, with that of children that have ended.
	used time.Duration
}

func listProcesses() (processes, error) {
	paths, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	all := processes{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // It has ended since.
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			return nil, err
		}
		if all[pid], err = parseStat(text); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return all, nil
}

func parseStat(text []byte) (process, error) {
	// The name may hold anything, so the fields count from its end.
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	const parent, user, childrenSystem = 1, 11, 14
	if len(fields) <= childrenSystem {
		return process{}, fmt.Errorf("%d fields", len(fields))
	}
	id, err := add(fields[parent : parent+1])
	if err != nil {
		return process{}, err
	}
	sum, err := add(fields[user : childrenSystem+1])
	return process{parent: int(id), used: time.Duration(sum) * tick}, err
}

// family is a process with all its descendants.
func (p processes) family(pid int) []int {
	all := []int{pid}
	for id, one := range p {
		if one.parent == pid && id != pid {
			all = append(all, p.family(id)...)
		}
	}
	return all
}

// used is what a process and its descendants have used so far.
func (p processes) used(pid int) time.Duration {
	var sum time.Duration
	for _, id := range p.family(pid) {
		sum += p[id].used
	}
	return sum
}

// peakMemory is how much of a process and its descendants was in RAM at most,
// in MiB, since forgetPeak.
func peakMemory(pid int) (float64, error) {
	all, err := listProcesses()
	if err != nil {
		return 0, err
	}
	var kib int64
	for _, id := range all.family(pid) {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", id))
		if err != nil {
			return 0, err
		}
		_, rest, _ := bytes.Cut(text, []byte("\nVmHWM:"))
		fields := bytes.Fields(rest)
		if len(fields) == 0 {
			return 0, fmt.Errorf("process %d does not tell its peak", id)
		}
		n, err := add(fields[:1])
		if err != nil {
			return 0, err
		}
		kib += n
	}
	return float64(kib) / 1024, nil
}

func forgetPeak(pid int) error {
	all, err := listProcesses()
	for _, id := range all.family(pid) {
		err = errors.Join(err, os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", id), []byte("5"), 0))
	}
	return err
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
