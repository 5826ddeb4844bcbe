package web

import (
	"cmp"
	"time"
)

// Timeouts limit how long a page waits for parts of its content. A page that has waited longer is
// sent without them. Zero means the default.
type Timeouts struct {
	// Preload limits reading the first rows of the request list. The default is 100 ms.
	Preload time.Duration
	// Installation limits reading the state of the installation. The default is 1 s.
	Installation time.Duration
	// Parts limits the checks of the page System. The default is 2 s.
	Parts time.Duration
}

func (t Timeouts) preload() time.Duration { return cmp.Or(t.Preload, 100*time.Millisecond) }

func (t Timeouts) installation() time.Duration { return cmp.Or(t.Installation, time.Second) }
