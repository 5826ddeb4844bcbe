package breaker

import (
	"time"

	"github.com/signalbox/signalbox/pkg/decide"
)

// Kind is what a call is.
type Kind struct {
	// Stream is whether it shows signs of life before its end.
	Stream bool
	// Retry is whether its request has made another before.
	Retry bool
}

// Call is leave to make one call, and is given back by End.
type Call struct {
	Kind
	set    *Set
	target decide.Target
	// load is the provider's, which is kept while a call is under way.
	load  *load
	began time.Time
	// turn is the state's when the call began: what began before a change says
	// nothing about what came after.
	turn  uint64
	probe bool
}

// Alive tells of the first sign of life of a stream.
func (c Call) Alive() {
	if c.set == nil {
		return
	}
	c.set.mu.Lock()
	defer c.set.mu.Unlock()
	c.set.state(c.target).quiet(c.Kind).heard(time.Since(c.began))
}

// End tells how the call went. wait is how long the provider asks to be left
// alone; 0 when it does not.
func (c Call) End(v Verdict, wait time.Duration) {
	if c.set == nil {
		return
	}
	s := c.set
	s.mu.Lock()
	defer s.mu.Unlock()
	c.load.leave(c.Retry)
	st, now := s.state(c.target), time.Now()
	st.hear(c, v, now)
	if v == Unreached && !s.online(c.target.Provider, now) {
		v = Nothing
	}
	if v == Failed || v == Silent || v == Unreached {
		st.strain.failed(s.settings)
	}
	if st.turn != c.turn {
		return
	}
	if c.probe {
		st.probing--
	}
	st.learn(now, v, wait, c.probe, s.settings)
}

// online tells whether another provider was reached lately: then it is not our
// own network that fails.
func (s *Set) online(except string, now time.Time) bool {
	for t, st := range s.targets {
		if t.Provider != except && !st.reached.IsZero() && now.Sub(st.reached) < s.settings.Window {
			return true
		}
	}
	return false
}
