package control

import (
	"log/slog"
	"sync"
	"time"
)

const (
	// tolerated is how long a watch may fail before somebody is told: a restart
	// of a service is shorter, and everything is served meanwhile.
	tolerated = 2 * time.Second
	// steady is how long a watch must hold to count as back. One that is
	// opened and refused again and again is not.
	steady = time.Second
)

// trouble tells an operator once that a watch fails, and once that it is back.
type trouble struct {
	log *slog.Logger

	mu     sync.Mutex
	since  time.Time
	warned bool
	holds  *time.Timer
}

// up notes that the watch has reached its service.
func (t *trouble) up() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stop()
	t.holds = time.AfterFunc(steady, t.over)
}

func (t *trouble) over() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.warned {
		t.log.Info("watch is back", "after", time.Since(t.since).Round(time.Second).String())
	}
	t.since, t.warned = time.Time{}, false
}

// broke notes that the watch has ended.
func (t *trouble) broke(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stop()
	if t.since.IsZero() {
		t.since = time.Now()
	}
	if t.warned || time.Since(t.since) < tolerated {
		t.log.Debug("watch broke", "error", err)
		return
	}
	t.warned = true
	t.log.Warn("watch fails; what is known is served meanwhile", "error", err)
}

// end keeps quiet from now on.
func (t *trouble) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stop()
}

func (t *trouble) stop() {
	if t.holds != nil {
		t.holds.Stop()
	}
}
