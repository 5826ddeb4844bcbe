package e2e

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	sampleEvery = 250 * time.Millisecond
	// mostMemory is a generous limit in MiB. The race detector needs a multiple.
	mostMemory, raceFactor = 400, 6
)

// memory samples the resident memory of the processes that handle records.
type memory struct {
	mu   sync.Mutex
	box  *Gateway
	peak int // MiB, since the last taken
	// pids returns the processes in containers, which are not sampled but looked at once.
	pids func() []int
}

// watchMemory samples until the test ends.
func watchMemory(t *testing.T, box *Gateway) *memory {
	m := &memory{box: box}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for !wait(sampleEvery, stop) {
			m.sample()
		}
	}()
	t.Cleanup(func() {
		close(stop)
		<-stopped
	})
	return m
}

func (m *memory) switchTo(to *Gateway) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.box = to
}

func (m *memory) sample() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.box.cmd == nil {
		return
	}
	pids := []int{m.box.cmd.Process.Pid}
	if len(m.box.Proxies) > 0 {
		pids = children(pids[0])
	}
	for _, pid := range pids {
		name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
		switch strings.TrimSpace(string(name)) {
		case "signalbox", "proxy", "dashboard":
			m.peak = max(m.peak, resident(pid))
		}
	}
}

// resident returns the resident memory of a process in MiB; 0 if it has exited.
func resident(pid int) int {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := bytes.Cut(status, []byte("\nVmRSS:"))
	fields := bytes.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kib, _ := strconv.Atoi(string(fields[0]))
	return kib >> 10
}

// takePeak returns the peak since the last call. It fails the test if the peak exceeds
// the limit.
func (m *memory) takePeak(t *testing.T) int {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.pids != nil {
		for _, pid := range m.pids() {
			m.peak = max(m.peak, resident(pid))
		}
	}
	peak, most := m.peak, mostMemory
	m.peak = 0
	if *binFlag == "" {
		most *= raceFactor
	}
	require.Less(t, peak, most, "MiB of memory")
	return peak
}
