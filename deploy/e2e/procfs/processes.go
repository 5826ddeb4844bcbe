// Package procfs reads CPU time, memory, open files and environments of processes, and the load
// of the machine, from /proc. A process counts together with its descendants.
package procfs

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"
)

// Tick is the unit of the kernel's CPU times. USER_HZ is 100 on every Linux that Go
// supports.
const Tick = 10 * time.Millisecond

// Processes holds all processes at one moment, by pid.
type Processes map[int]Process

// Process is one process.
type Process struct {
	parent int
	// Used is the CPU time so far, including children that have exited.
	Used time.Duration
}

// List returns all processes of the machine.
func List() (Processes, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	all := Processes{}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue // not a process
		}
		path := fmt.Sprintf("/proc/%d/stat", pid)
		text, err := os.ReadFile(path)
		if err != nil {
			continue // the process has exited
		}
		if all[pid], err = parseStat(text); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return all, nil
}

func parseStat(text []byte) (Process, error) {
	// The name may contain spaces and parentheses, so parsing starts after it.
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	const parent, user, childrenSystem = 1, 11, 14
	if len(fields) <= childrenSystem {
		return Process{}, fmt.Errorf("%d fields", len(fields))
	}
	id, err := sumFields(fields[parent : parent+1])
	if err != nil {
		return Process{}, err
	}
	sum, err := sumFields(fields[user : childrenSystem+1])
	return Process{parent: int(id), Used: time.Duration(sum) * Tick}, err
}

// Tree returns a process and all its descendants.
func (p Processes) Tree(pid int) []int {
	all := []int{pid}
	for _, child := range p.Children(pid) {
		all = append(all, p.Tree(child)...)
	}
	return all
}

// Children returns the processes that a process has started and that have not exited.
func (p Processes) Children(pid int) (ids []int) {
	for id, one := range p {
		if one.parent == pid && id != pid {
			ids = append(ids, id)
		}
	}
	return ids
}

// CPUTime returns the CPU time of a process and its descendants.
func (p Processes) CPUTime(pid int) time.Duration {
	var sum time.Duration
	for _, id := range p.Tree(pid) {
		sum += p[id].Used
	}
	return sum
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
