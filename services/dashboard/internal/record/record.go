// Package record is the ledger's domain: what is kept of a request, what it
// cost against its baseline, which records a reader asked for, and how they
// add up. It knows neither how a record travels nor where it is stored; the
// store, the ingest and the web pages of the dashboard use it.
package record

import (
	"math"
	"time"

	"github.com/google/uuid"
)

// Route is how a request was finally served; empty when it was refused before
// routing or nothing served it.
type Route string

// The routes.
const (
	Expected Route = "expected"
	Fallback Route = "fallback"
	Policy   Route = "policy"
)

// Outcome is how a request ended.
type Outcome string

// The outcomes.
const (
	OK           Outcome = "ok"
	Failed       Outcome = "error"
	Rejected     Outcome = "rejected"
	Interrupted  Outcome = "interrupted"
	ClientClosed Outcome = "client_closed"
	Aborted      Outcome = "aborted"
)

// Basis is what the token counts behind a cost rest on; empty when nothing was
// used.
type Basis string

// The bases.
const (
	Final     Basis = "final"
	Estimated Basis = "estimated"
)

// Capture is what was kept of the text; empty on records older than it.
type Capture string

// The captures.
const (
	CaptureNone     Capture = "none"
	CaptureFull     Capture = "full"
	CaptureRedacted Capture = "redacted"
	CaptureDropped  Capture = "dropped"
)

// Record is what is kept of one request. Money is nano-USD; nil means that a
// price is unknown, which is never the same as 0. Spans are microseconds.
type Record struct {
	ID              uuid.UUID
	TraceID         string // hex
	ClientRequestID string
	ClientAddress   string
	ClientRetry     int32
	AccountID       string
	KeyID           string
	KeyName         string
	Time            time.Time
	Endpoint        string // chat or embeddings
	Stream          bool
	RequestedModel  string
	Model           string
	Provider        string
	Route           Route
	Reason          Reason
	Outcome         Outcome
	Status          int32
	Code            string
	Error           string
	Tokens          Tokens
	Cost            *int64
	Costs           *Costs
	CostBasis       Basis
	BaselineModel   string
	BaselineCost    *int64
	BaselineCosts   *Costs
	BaselinePrice   *Price
	Latency         int64
	TTFT            int64
	Gateway         int64
	AuthTime        int64
	RouteTime       int64
	Attempts        []Attempt
	Candidates      []Candidate
	Features        map[string]int64
	// Inputs is nil when nothing was decided, and on records older than it.
	Inputs         *Inputs
	PolicyVersion  string
	CatalogVersion string
	EngineVersion  string
	Capture        Capture
	// Content is nil when nothing was captured, or when it was not asked for.
	Content *Content
}

// Kept is the baseline's cost minus the routed one. It may be negative, and it
// is nil when either price is unknown.
func (r *Record) Kept() *int64 {
	if r.Cost == nil || r.BaselineCost == nil {
		return nil
	}
	kept := subtract(*r.BaselineCost, *r.Cost)
	return &kept
}

const dayMillis = 24 * 60 * 60 * 1000

// Day is the UTC day of the id's timestamp, in days since 1970. It is a
// function of the id alone, so that the same id always meets itself in the
// same partition.
func Day(id uuid.UUID) int64 {
	var ms int64
	for _, b := range id[:6] {
		ms = ms<<8 | int64(b)
	}
	return ms / dayMillis
}

// ParseID reads the one text form we write. Everything else is refused, so
// that a record has one address.
func ParseID(text string) (uuid.UUID, bool) {
	id, err := uuid.Parse(text)
	return id, err == nil && id.String() == text
}

// add and subtract saturate: a sum that does not fit is huge, not negative.
func add(a, b int64) int64 {
	switch {
	case b > 0 && a > math.MaxInt64-b:
		return math.MaxInt64
	case b < 0 && a < math.MinInt64-b:
		return math.MinInt64
	}
	return a + b
}

func subtract(a, b int64) int64 {
	switch {
	case b < 0 && a > math.MaxInt64+b:
		return math.MaxInt64
	case b > 0 && a < math.MinInt64+b:
		return math.MinInt64
	}
	return a - b
}
