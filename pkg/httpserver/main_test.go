package httpserver

import (
	"testing"
	"time"
)

// TestMain makes the limits longer than the pauses of a busy machine. Tests that wait for them run in
// parallel.
func TestMain(m *testing.M) {
	busyHeaderTimeout, cancelGrace, watchDelay = 5*time.Second, 5*time.Second, WatchDelay
	m.Run()
}
