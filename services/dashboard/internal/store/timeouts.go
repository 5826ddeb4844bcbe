package store

import "time"

// Timeouts limit the statements of the ledger. Tests raise them, because a busy machine exceeds the defaults.
type Timeouts struct {
	// Read limits one read. Slower reads are canceled, so that they do not slow down ingest. Postgres
	// cancels a slow read even if this process has died.
	Read time.Duration
	// Search is how long a search runs before it returns a partial page. The page has a cursor to
	// continue the search.
	Search time.Duration
	// Facets limits the counting of facets. After it, the values are looked for in the newest requests of
	// any kind, for FacetsRetry, and not counted.
	Facets, FacetsRetry time.Duration
	// Lock is how long an insert waits for a lock on Postgres, and Statement how long each of its
	// statements may take. Postgres then aborts a slow transaction before the caller gives up. Otherwise
	// the transaction would keep running in the server.
	Lock, Statement time.Duration
}

var defaultTimeouts = Timeouts{
	Read: 5 * time.Second, Search: 2 * time.Second,
	Facets: 250 * time.Millisecond, FacetsRetry: 120 * time.Millisecond,
	Lock: 5 * time.Second, Statement: 8 * time.Second,
}

// SameTimeouts returns timeouts that are all equal to limit.
func SameTimeouts(limit time.Duration) Timeouts {
	return Timeouts{Read: limit, Search: limit, Facets: limit, FacetsRetry: limit, Lock: limit, Statement: limit}
}
