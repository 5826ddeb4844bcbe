package spool

import "time"

// adoptEvery is how often a living process looks for those that died beside it:
// nobody else may come for what they left.
const adoptEvery = 30 * time.Second

// inheritLoop adopts the directories of processes that die while we live, and
// tries again to end the requests that could not be.
func (s *Spool) inheritLoop(r *recovery) {
	for {
		pause(s.life, nil, time.Now().Add(adoptEvery))
		if s.life.Err() != nil {
			return
		}
		s.inherit(r)
	}
}

func (s *Spool) inherit(r *recovery) {
	adopted := r.adoptAll()
	if len(adopted) == 0 {
		return
	}
	s.mu.Lock()
	for _, j := range adopted {
		s.addLane(r.config, j.producer, j, j)
	}
	s.mu.Unlock()
	ring(s.dirty)
}
