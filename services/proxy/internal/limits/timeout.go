//go:build !race

package limits

import "time"

// defaultCounterTimeout is how long a request waits for the shared counters before it is
// decided without them. Redis responds within a few milliseconds, so a longer wait would only
// delay requests while Redis is unavailable.
const defaultCounterTimeout = 50 * time.Millisecond
