//go:build race

package limits

import "time"

// defaultCounterTimeout is longer here, because a proxy with the race detector is slow. Otherwise
// Redis would look unavailable to the tests of exact limits.
const defaultCounterTimeout = time.Second
