package proxy

import (
	"time"

	"github.com/signalbox/signalbox/services/proxy/internal/keys"
	"github.com/signalbox/signalbox/services/proxy/internal/shadow"
)

// SetKeyTimeout sets how long the check of any key may take. 0 means the default.
func (c *Config) SetKeyTimeout(d time.Duration) {
	c.keyTimeouts = keys.Timeouts{Verify: d, Lookup: d}
}

// DropSamples drops the waiting samples, and reports whether no comparison runs.
func (s *Service) DropSamples() bool { return s.shadow.DropWaiting() }

// DroppedSamples returns how many samples were dropped, by reason.
func (s *Service) DroppedSamples() map[shadow.Drop]int64 {
	all := map[shadow.Drop]int64{}
	s.shadow.EachDropped(func(why shadow.Drop, n int64) { all[why] = n })
	return all
}
