package spool

import "time"

// adoptInterval is how often a process looks for directories of processes that
// died after it started. There may be no other process that could adopt them.
const adoptInterval = 30 * time.Second

// adoptLoop adopts the directories of processes that die while this one runs. It
// also retries the unfinished requests that could not be recorded.
func (s *Spool) adoptLoop(r *recovery) {
	for {
		waitUntil(s.ctx, nil, time.Now().Add(adoptInterval))
		if s.ctx.Err() != nil {
			return
		}
		s.adoptDeadProducers(r)
	}
}

func (s *Spool) adoptDeadProducers(r *recovery) {
	adopted := r.adoptDirs()
	if len(adopted) == 0 {
		return
	}
	s.mu.Lock()
	for _, j := range adopted {
		s.addShipper(r.config, j.producer, j, j)
	}
	s.mu.Unlock()
	sendSignal(s.syncNeeded)
}
