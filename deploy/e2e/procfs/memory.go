package procfs

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// PeakMemory returns the peak resident memory in MiB of a process and its
// descendants since ResetPeakMemory.
func PeakMemory(pid int) (float64, error) {
	all, err := List()
	if err != nil {
		return 0, err
	}
	var kib int64
	for _, id := range all.Tree(pid) {
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

// ResetPeakMemory forgets the peak memory of a process and its descendants so far.
func ResetPeakMemory(pid int) error {
	all, err := List()
	for _, id := range all.Tree(pid) {
		err = errors.Join(err, os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", id), []byte("5"), 0))
	}
	return err
}

// ResidentMemory returns the resident memory of a process and its children in MiB.
func ResidentMemory(pid int) (mib float64) {
	all, err := List()
	if err != nil {
		return 0
	}
	for _, id := range all.Tree(pid) {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", id))
		if fields := strings.Fields(string(text)); len(fields) > 2 {
			resident, _ := strconv.ParseFloat(fields[1], 64)
			shared, _ := strconv.ParseFloat(fields[2], 64)
			mib += (resident - shared) * float64(os.Getpagesize()) / (1 << 20)
		}
	}
	return mib
}
