package procfs

import (
	"bytes"
	"fmt"
	"os"
)

// ReadEnv returns an environment variable of a process.
func ReadEnv(pid int, name string) (string, error) {
	environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return "", err
	}
	for kv := range bytes.SplitSeq(environ, []byte{0}) {
		if value, ok := bytes.CutPrefix(kv, []byte(name+"=")); ok {
			return string(value), nil
		}
	}
	return "", fmt.Errorf("process %d has no %s", pid, name)
}

// CountFiles returns the number of open files of a process.
func CountFiles(pid int) int {
	names, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	return len(names)
}
