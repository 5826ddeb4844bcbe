package testenv

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// servers are the programs that killServersIn may kill. It must not kill other programs, such as a shell
// whose working directory is one of our directories.
var servers = []string{"postgres", "initdb", "redis-server"}

// removeStaleDirectories removes directories whose owner, a test process, is dead. It kills servers that
// still run in them. It skips directories that it may not open.
func removeStaleDirectories() {
	paths, _ := filepath.Glob(filepath.Join(os.TempDir(), prefix+"*"))
	for _, path := range paths {
		removeIfStale(path)
	}
}

func removeIfStale(path string) {
	lock, err := os.Open(path)
	if err != nil {
		return
	}
	defer func() { _ = lock.Close() }()
	if flock(lock, syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		return
	}
	killServersIn(path)
	_ = os.RemoveAll(path)
}

// killServersIn kills the servers and waits at most two seconds until they are gone. A server that cannot
// be killed must not delay the tests of this process.
func killServersIn(path string) {
	limit := time.After(2 * time.Second)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		pids := findServersIn(path)
		if len(pids) == 0 {
			return
		}
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		select {
		case <-limit:
			return
		case <-tick.C:
		}
	}
}

// findServersIn finds servers by their working directory. A pid file would be less reliable, because the
// pid may belong to another program by now.
func findServersIn(path string) []int {
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil
	}
	var pids []int
	processes, _ := filepath.Glob("/proc/[0-9]*")
	for _, proc := range processes {
		pid, err := strconv.Atoi(filepath.Base(proc))
		if err == nil && hasWorkingDirIn(proc, resolved) && isServer(proc) {
			pids = append(pids, pid)
		}
	}
	return pids
}

func hasWorkingDirIn(proc, path string) bool {
	cwd, err := os.Readlink(filepath.Join(proc, "cwd"))
	return err == nil && strings.HasPrefix(cwd+"/", path+"/")
}

func isServer(proc string) bool {
	name, err := os.ReadFile(filepath.Join(proc, "comm"))
	return err == nil && slices.Contains(servers, strings.TrimSpace(string(name)))
}
