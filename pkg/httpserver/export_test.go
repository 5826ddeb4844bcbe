package httpserver

import "time"

// WatchDelay is the delay of the watch in tests. It is short, so that handlers return at any moment of it.
const WatchDelay = 200 * time.Microsecond
