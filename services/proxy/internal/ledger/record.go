// Package ledger keeps the book: what a record holds, what it cost, and when
// it is safe. A START goes to the spool before an upstream is dialled and an
// END before the last byte reaches the client, so that no request a client saw
// answered can be missing, and a request the proxy died with is found. It does
// not know how records are encoded or shipped.
package ledger

import (
	"time"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
)

// Route is how a request was finally served.
type Route string

// The routes; none for a request refused before routing.
const (
	NoRoute  Route = ""
	Expected Route = "expected"
	Fallback Route = "fallback"
	Policy   Route = "policy"
)

// Outcome is how a request ended.
type Outcome string

// The outcomes.
const (
	OK           Outcome = "ok"
	Error        Outcome = "error"
	Rejected     Outcome = "rejected"
	Interrupted  Outcome = "interrupted"
	ClientClosed Outcome = "client_closed"
	Aborted      Outcome = "aborted"
)

// Capture is what was kept of the request's and the answer's text.
type Capture string

// The captures.
const (
	CaptureNone     Capture = "none"
	CaptureFull     Capture = "full"
	CaptureRedacted Capture = "redacted"
	// CaptureDropped was kept and then given up for want of room.
	CaptureDropped Capture = "dropped"
)

// Record is what is kept of one request.
type Record struct {
	ID              uuid.UUID
	ClientRequestID string
	ClientRetry     int32
	ClientAddress   string
	AccountID       string
	KeyID           string
	KeyName         string
	Time            time.Time
	Kind            catalog.Kind
	Stream          bool
	RequestedModel  string
	// Served is empty when nothing served the request.
	Served  decide.Target
	Route   Route
	Outcome Outcome
	Status  int
	Code    string
	// Message is the text of the error the client was given.
	Message string
	// Question is what was decided; nil when it did not come to that. What the
	// router added to it is in the decision.
	Question *decide.Question
	Decision *decide.Decision
	Attempts []Attempt
	// Usage of the serving attempt; Estimated when the upstream reported none.
	Usage     catalog.Usage
	Estimated bool
	// Cost of all attempts together, and the same by bucket; not known when a
	// price is not.
	Cost  Amount
	Costs catalog.Parts
	// Baseline is the same tokens at the baseline's price; not known when that
	// is not.
	Baseline      Amount
	BaselineCosts catalog.Parts
	BaselinePrice catalog.Price

	Latency time.Duration
	// FirstToken is zero when no content was sent.
	FirstToken time.Duration
	AuthTime   time.Duration
	RouteTime  time.Duration

	// Capture is what Request and Response are; unset means the text as it
	// was.
	Capture Capture
	// Request and Response are what was captured, already cut; nil when
	// nothing was. The lengths are those before the cut.
	Request     []byte
	Response    []byte
	RequestLen  int64
	ResponseLen int64

	// note is set while the record is open.
	note *note
}

// Codes of attempts that were not made when their turn came: the target was out
// of use or spared, or its provider at the limit that the policy sets.
const (
	BreakerOpen = "BREAKER_OPEN"
	OverLimit   = "OVER_LIMIT"
)

// Called tells whether the upstream was called.
func (a *Attempt) Called() bool { return a.Code != BreakerOpen && a.Code != OverLimit }

// Attempt is one call to one upstream. Times count from the record's time.
type Attempt struct {
	Target     decide.Target
	Status     int
	Code       string
	Started    time.Duration
	FirstToken time.Duration
	Ended      time.Duration
	UpstreamID string
	// Dropped names the fields of the request that the upstream was not given.
	Dropped []string
	// Usage is what it used; nil when it used nothing we know of.
	Usage     *catalog.Usage
	Estimated bool
	// UsageDifference is by how many tokens the upstream's own total exceeds
	// Usage, and ReportedNanoUSD what it says that the call costs; nil when it
	// does not say.
	UsageDifference int64
	ReportedNanoUSD *int64
	// Cost is what it cost at Price, and Costs the same by bucket; not known
	// when the price is not.
	Cost  Amount
	Costs catalog.Parts
	Price catalog.Price
}

// Produced reports whether there is anything that the baseline would have had
// to produce as well.
func (r *Record) Produced() bool {
	return r.Decision != nil && r.Served.Model != "" && r.Usage != (catalog.Usage{})
}

// Captured is what was kept of the text: nothing when there is none of it,
// whatever was wished for.
func (r *Record) Captured() Capture {
	switch {
	case r.Request == nil && r.Response == nil && r.Capture != CaptureDropped:
		return CaptureNone
	case r.Capture == "":
		return CaptureFull
	}
	return r.Capture
}

// GatewayTime is the part of the latency that no upstream accounts for.
func (r *Record) GatewayTime() time.Duration {
	var upstream time.Duration
	for i := range r.Attempts {
		upstream += r.Attempts[i].Ended - r.Attempts[i].Started
	}
	return max(0, r.Latency-upstream)
}
