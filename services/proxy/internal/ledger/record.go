// Package ledger defines the record of a request, computes its costs, and writes it
// to the spool, the local disk storage of records. The Writer writes a START frame
// before the first upstream call. It writes an END frame before the last byte reaches
// the client. So, unless that write fails, the ledger gets a record of every response
// that a client received completely. After a crash, the START frames show which
// requests were in progress. A Codec encodes the records; a Spool stores and ships
// them. Package api creates the records, and package dispatch creates their attempts.
package ledger

import (
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/tracecontext"
)

// Outcome is how a request ended.
type Outcome string

// The outcomes.
const (
	OK           Outcome = "ok"
	Error        Outcome = "error"         // it failed before the response began
	Rejected     Outcome = "rejected"      // the gateway rejected it before an upstream call
	Interrupted  Outcome = "interrupted"   // it failed after the response began
	ClientClosed Outcome = "client_closed" // the client disconnected
	Aborted      Outcome = "aborted"       // the proxy stopped before the request ended
)

// Capture describes how the text of the request and the response was stored.
type Capture string

// The captures.
const (
	CaptureNone     Capture = "none"
	CaptureFull     Capture = "full"
	CaptureRedacted Capture = "redacted"
	// CaptureDropped means that the text was captured, but the spool had no capacity
	// for it.
	CaptureDropped Capture = "dropped"
)

// Record is the stored information about one request.
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
	// Protocol is the wire format in which the client sent the request.
	Protocol requestbody.Protocol
	// Agent is the short name of the client program (see package agent). It is empty if
	// the headers do not name it.
	Agent string
	// Session identifies the session of the request; empty if there is none. SideCall means
	// that the request is a side call of it, such as the request for a title.
	Session  string
	SideCall bool
	// Budgets are the group budgets to which the cost belongs, as limits.AddGroups returns
	// them.
	Budgets []string
	// User is the end user that the client names. It is a hash if the text is not stored.
	User           string
	Stream         bool
	RequestedModel string
	// Served is empty if no candidate served the request.
	Served  decide.Candidate
	Route   decide.Route
	Outcome Outcome
	Status  int
	Code    string
	// Message is the error text for the client. It may be redacted or empty, because it can
	// quote the request.
	Message string
	// Question is the input of the decision. It is nil if the request failed before the
	// decision. Values that the router added to it are in Decision.
	Question *decide.Question
	Decision *decide.Decision
	// Rollout is the rollout that was open when the policy was chosen; nil if there was none.
	Rollout  *Rollout
	Attempts []Attempt
	// Usage is the usage of the attempt that served the request.
	Usage catalog.Usage
	// Estimated means that Usage is at least partly an estimate.
	Estimated bool
	// Cost is the sum over all attempts. It is unknown if a price is unknown.
	Cost Amount
	// CostParts is Cost by kind of token.
	CostParts catalog.Breakdown
	// BaselineCost is what the same tokens would have cost with the baseline model. It
	// is unknown if that model has no price.
	BaselineCost      Amount
	BaselineCostParts catalog.Breakdown
	BaselinePrice     catalog.Price

	Latency time.Duration
	// FirstToken is the time to the first content of a stream. It is zero for other responses.
	FirstToken  time.Duration
	AuthTime    time.Duration
	RoutingTime time.Duration

	// Capture describes what Request and Response contain. Empty means the original
	// text.
	Capture Capture
	// Request and Response are the captured text, already truncated. They are nil if
	// nothing was captured. If RequestEnd is set, Request is the beginning of the text and
	// RequestEnd its end. The middle is not stored.
	Request    []byte
	RequestEnd []byte
	Response   []byte
	// RequestLen and ResponseLen are the lengths before truncation.
	RequestLen  int64
	ResponseLen int64

	// Trace is the trace that the request belongs to. It is nil if there is none.
	Trace *tracecontext.Context
	// RoutingStarted is when the decision began, relative to Time. It is not stored.
	RoutingStarted time.Duration

	// startState is set between Start and Finish.
	startState *startState
}

// Rollout names the two policy versions that are in use at the same time. The version that
// decided is Decision.PolicyVersion.
type Rollout struct {
	ID, Stable, Candidate string
	// Share is the share of the sessions that the candidate serves, in hundredths of a percent.
	Share int32
}

// Codes of attempts that made no call. BreakerOpen means that the breaker of the candidate
// was open or the candidate failed too often. OverLimit means that the provider had reached
// the limit that the policy sets for it.
const (
	BreakerOpen = "BREAKER_OPEN"
	OverLimit   = "OVER_LIMIT"
)

// WasCalled reports whether the upstream was called.
func (a *Attempt) WasCalled() bool { return a.Code != BreakerOpen && a.Code != OverLimit }

// Attempt is one call to one upstream, or a candidate that was not called (see WasCalled). Its
// times are relative to Record.Time.
type Attempt struct {
	Candidate decide.Candidate
	Status    int
	Code      string
	// Inconclusive means that the provider rejected something that the gateway sent, such
	// as a credential, and that another call could succeed. The attempt shows nothing about
	// the candidate's health. The field is not stored.
	Inconclusive bool
	// Span is the span of the attempt in Record.Trace; zero if it has none. It is not stored.
	Span       [8]byte
	Started    time.Duration
	FirstToken time.Duration // of a stream; zero for other responses
	Ended      time.Duration
	UpstreamID string
	// Dropped names the request fields that the upstream did not receive.
	Dropped []string
	// Usage is the usage of the attempt; nil if none is known.
	Usage *catalog.Usage
	// Estimated means that Usage is at least partly an estimate.
	Estimated bool
	// Unpriced names what the upstream charges in addition to Usage and the catalog has no
	// prices for. Then Cost is an estimate.
	Unpriced []string
	// UsageDifference is by how many tokens the upstream's own total exceeds Usage.
	UsageDifference int64
	// ReportedNanoUSD is the cost that the upstream reports, or nil.
	ReportedNanoUSD *int64
	// Cost is the cost at Price. It is unknown if the price is unknown.
	Cost Amount
	// CostParts is Cost by kind of token.
	CostParts catalog.Breakdown
	Price     catalog.Price
}

// WasServed reports whether a candidate served the request, used tokens and did not fail. If not,
// the baseline cost is 0.
func (r *Record) WasServed() bool {
	return r.Decision != nil && r.Served.Model != "" && r.Usage != (catalog.Usage{}) && catalog.HasBaselineCost(string(r.Outcome))
}

// EffectiveCapture returns what the record really contains. It is CaptureNone if
// there is no text, regardless of the capture setting.
func (r *Record) EffectiveCapture() Capture {
	switch {
	case r.Request == nil && r.Response == nil && r.Capture != CaptureDropped:
		return CaptureNone
	case r.Capture == "":
		return CaptureFull
	}
	return r.Capture
}

// AppendGap appends the text that stands for the middle of the request. It appends nothing if
// nothing is missing.
func (r *Record) AppendGap(dst []byte) []byte {
	if r.RequestEnd == nil {
		return dst
	}
	dst = strconv.AppendInt(append(dst, "\n… "...), r.RequestLen-int64(len(r.Request)+len(r.RequestEnd)), 10)
	return append(dst, " bytes are not stored …\n"...)
}

// GatewayTime returns the part of the latency that was not spent in upstream calls.
func (r *Record) GatewayTime() time.Duration {
	var upstream time.Duration
	for i := range r.Attempts {
		upstream += r.Attempts[i].Ended - r.Attempts[i].Started
	}
	return max(0, r.Latency-upstream)
}
