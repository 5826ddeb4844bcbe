// Package record is the domain model of the ledger. A Record describes one
// request, its cost and its savings. Savings are relative to the baseline: the
// cost of the same request with the default model. The package also defines the
// filter language (ParseFilter), queries and cursors, and how records add up
// (Breakdown, Figures, Producer). It does no I/O: package codec decodes records,
// and package store saves them. The packages ingest, store and web of the
// dashboard use it.
package record

import (
	"time"

	"github.com/google/uuid"
)

// Route says how a request was served. It is empty if the request was rejected
// before routing or if no candidate served it.
type Route string

// The routes.
const (
	RouteExpected Route = "expected" // the first choice served the request
	RouteFallback Route = "fallback" // another candidate served the request, or the router's decision failed
	RoutePolicy   Route = "policy"   // a policy rule chose the candidates or changed the first choice
)

// Outcome is how a request ended.
type Outcome string

// The outcomes.
const (
	OutcomeOK           Outcome = "ok"
	OutcomeError        Outcome = "error"
	OutcomeRejected     Outcome = "rejected"      // before a provider was called
	OutcomeInterrupted  Outcome = "interrupted"   // the provider stopped in its response
	OutcomeClientClosed Outcome = "client_closed" // the client disconnected
	OutcomeAborted      Outcome = "aborted"       // the proxy stopped
)

// CostBasis says whether the token counts behind a cost are final. It is empty if
// no tokens were used.
type CostBasis string

// The cost bases.
const (
	CostFinal     CostBasis = "final"
	CostEstimated CostBasis = "estimated"
)

// Protocol is the wire format in which the client sent the request.
type Protocol string

// The protocols.
const (
	ProtocolChat      Protocol = "chat" // also embeddings, and records written before the field existed
	ProtocolMessages  Protocol = "messages"
	ProtocolResponses Protocol = "responses"
	ProtocolGemini    Protocol = "gemini"
)

// Capture says how much of the content was captured. Content is the text of the
// request and the response. Capture is empty on records that were written before
// the field existed.
type Capture string

// The capture levels.
const (
	CaptureNone     Capture = "none"
	CaptureFull     Capture = "full"
	CaptureRedacted Capture = "redacted"
	CaptureDropped  Capture = "dropped" // captured, but dropped for lack of disk space
)

// Record is what the ledger stores about one request. Costs are in nano-USD. A
// nil cost means that the price is unknown, which is different from 0. Durations
// are in microseconds.
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
	Protocol        Protocol
	Agent           string   // the client program, such as claude-code; empty if unknown
	Session         string   // identifies the session within the account; empty if there is none
	User            string   // the end user that the client named, or a hash of it; empty if it named none
	Budgets         []string // the group budgets to which the cost belongs: an id, and a member after a slash
	SideCall        bool     // whether the request is a side call of its session, such as the request for a title
	Stream          bool
	RequestedModel  string
	Model           string
	Provider        string
	Effort          string // the reasoning effort of the candidate that served the request; empty without one
	Route           Route
	Reason          Reason
	Outcome         Outcome
	Status          int32
	Code            string
	Error           string
	Tokens          Tokens
	Cost            *int64
	Costs           *Costs
	CostBasis       CostBasis
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
	// Inputs is nil if there was no decision, and on records written before the
	// field existed.
	Inputs        *DecisionInputs
	PolicyVersion string
	// Rollout is the rollout that was open at the decision; nil if there was none.
	Rollout        *Rollout
	CatalogVersion string
	EngineVersion  string
	Capture        Capture
	// Content is nil if nothing was captured, or if the query did not load it.
	Content *Content
}

const dayMillis = 24 * 60 * 60 * 1000

// DayOfID returns the UTC day of the id's timestamp, in days since 1970. The day
// depends only on the id, so a repeated record always goes to the same partition.
func DayOfID(id uuid.UUID) int64 {
	var ms int64
	for _, b := range id[:6] {
		ms = ms<<8 | int64(b)
	}
	return ms / dayMillis
}

// ParseID parses the canonical text form of an id. It rejects every other form,
// so that a record has exactly one URL.
func ParseID(text string) (uuid.UUID, bool) {
	id, err := uuid.Parse(text)
	return id, err == nil && id.String() == text
}
