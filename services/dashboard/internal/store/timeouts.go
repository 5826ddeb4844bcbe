package store

import (
	"cmp"
	"time"
)

// Timeouts limit what the ledger does for one call. A field that is 0 has its default. Tests raise them,
// because a busy machine exceeds the defaults. Limits after which the ledger only chooses another
// plan are not among them.
type Timeouts struct {
	// Read limits one read. Slower reads are canceled, so that they do not slow down ingest. Postgres
	// cancels a slow read even if this process has died, unless a pooler is between them. The default is 5 s.
	Read time.Duration
	// Search is how long a search runs before it returns a partial page, which has a cursor to continue
	// the search. It must be shorter than Read, which ends the search with an error. The default is 2 s.
	Search time.Duration
	// Window limits the search of one time window. With the default of 700 ms, a slow window of an hour can
	// be narrowed to one second before the default of Read expires.
	Window time.Duration
	// Facets limits the counting of facets. After it, the values are looked for in the newest requests of
	// any kind, for FacetsRetry, and not counted. FacetsRetry also limits the search for a rare value. The
	// defaults are 250 ms and 120 ms.
	Facets, FacetsRetry time.Duration
	// Lock is how long an insert waits for a lock on Postgres, and Statement how long each of its
	// statements may take. With the defaults of 5 s and 8 s, Postgres aborts a slow transaction before the
	// ingest gives up. Otherwise the transaction would keep running in the server.
	Lock, Statement time.Duration
}

func (t Timeouts) orDefaults() Timeouts {
	return Timeouts{
		Read: cmp.Or(t.Read, 5*time.Second), Search: cmp.Or(t.Search, 2*time.Second), Window: cmp.Or(t.Window, 700*time.Millisecond),
		Facets: cmp.Or(t.Facets, 250*time.Millisecond), FacetsRetry: cmp.Or(t.FacetsRetry, 120*time.Millisecond),
		Lock: cmp.Or(t.Lock, 5*time.Second), Statement: cmp.Or(t.Statement, 8*time.Second),
	}
}
