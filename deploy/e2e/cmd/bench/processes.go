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

// tick is the unit of the kernel's CPU times. USER_HZ is 100 on every Linux that Go
// supports.
const tick = 10 * time.Millisecond

// processes holds all processes at one moment, by pid.
type processes map[int]process

type process struct {
	parent int
	// used is the CPU time so far, including children that have exited.
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
			continue // the process has exited
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
	// The name may contain spaces and parentheses, so parsing starts after it.
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	const parent, user, childrenSystem = 1, 11, 14
	if len(fields) <= childrenSystem {
		return process{}, fmt.Errorf("%d fields", len(fields))
	}
	id, err := sumFields(fields[parent : parent+1])
	if err != nil {
		return process{}, err
	}
	sum, err := sumFields(fields[user : childrenSystem+1])
	return process{parent: int(id), used: time.Duration(sum) * tick}, err
}

// processTree returns a process and all its descendants.
func (p processes) processTree(pid int) []int {
	all := []int{pid}
	for id, one := range p {
		if one.parent == pid && id != pid {
			all = append(all, p.processTree(id)...)
		}
	}
	return all
}

// cpuTime returns the CPU time of a process and its descendants.
func (p processes) cpuTime(pid int) time.Duration {
	var sum time.Duration
	for _, id := range p.processTree(pid) {
		sum += p[id].used
	}
	return sum
}

// peakMemory returns the peak resident memory in MiB of a process and its
// descendants since resetPeakMemory.
func peakMemory(pid int) (float64, error) {
	all, err := listProcesses()
	if err != nil {
		return 0, err
	}
	var kib int64
	for _, id := range all.processTree(pid) {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", id))
		if err != nil {
			return 0, err
		}
		_, rest, _ := bytes.Cut(text, []byte("\nVmHWM:"))
		fields := bytes.Fields(rest)
		if len(fields) == 0 {
			return 0, fmt.Errorf("process %d has no VmHWM", id)
		}
		n, err := sumFields(fields[:1])
		if err != nil {
			return 0, err
		}
		kib += n
	}
	return float64(kib) / 1024, nil
}

func resetPeakMemory(pid int) error {
	all, err := listProcesses()
	for _, id := range all.processTree(pid) {
		err = errors.Join(err, os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", id), []byte("5"), 0))
	}
	return err
}

// machineTime returns the busy time and the total time of all cores together.
func machineTime() (busy, whole time.Duration, err error) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, 0, err
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	fields := bytes.Fields(line)
	// user, nice, system, idle, iowait, irq, softirq, steal. The later fields are
	// included in user.
	const count, idle, iowait = 8, 3, 4
	if len(fields) <= count {
		return 0, 0, fmt.Errorf("/proc/stat: %d fields", len(fields))
	}
	fields = fields[1 : count+1]
	all, err := sumFields(fields)
	if err != nil {
		return 0, 0, err
	}
	rest, err := sumFields(fields[idle : iowait+1])
	return time.Duration(all-rest) * tick, time.Duration(all) * tick, err
}

func sumFields(fields [][]byte) (int64, error) {
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
