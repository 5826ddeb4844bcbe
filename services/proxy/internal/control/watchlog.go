package control

import (
	"log/slog"
	"sync"
	"time"
)

const (
	// warnAfter is how long a watch may fail before a warning is logged. A restart of a service
	// takes less time, and requests are served meanwhile.
	warnAfter = 2 * time.Second
	// stableAfter is how long a watch must stay connected to count as restored. Otherwise a
	// watch that connects and is rejected again and again would fill the log.
	stableAfter = time.Second
)

// watchLog logs one warning when a watch fails and one message when it is restored.
type watchLog struct {
	log *slog.Logger

	mu          sync.Mutex
	since       time.Time
	warned      bool
	stableTimer *time.Timer
}

// connected records that the watch has reached its service.
func (t *watchLog) connected() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stopTimer()
	t.stableTimer = time.AfterFunc(stableAfter, t.logRestored)
}

func (t *watchLog) logRestored() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.warned {
		t.log.Info("connection restored", "after", time.Since(t.since).Round(time.Second).String())
	}
	t.since, t.warned = time.Time{}, false
}

// disconnected records that the watch has ended.
func (t *watchLog) disconnected(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stopTimer()
	if t.since.IsZero() {
		t.since = time.Now()
	}
	if t.warned || time.Since(t.since) < warnAfter {
		t.log.Debug("connection lost", "error", err)
		return
	}
	t.warned = true
	t.log.Warn("connection lost; serving from the last known state", "error", err)
}

func (t *watchLog) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stopTimer()
}

func (t *watchLog) stopTimer() {
	if t.stableTimer != nil {
		t.stableTimer.Stop()
	}
}
