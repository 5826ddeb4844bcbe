package procfs

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"time"
)

// MachineTime returns the busy time and the total time of all cores together.
func MachineTime() (busy, whole time.Duration, err error) {
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
	return time.Duration(all-rest) * Tick, time.Duration(all) * Tick, err
}

// LoadAverage returns the load averages of the machine as text.
func LoadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Join(strings.Fields(string(text))[:3], " ")
}
