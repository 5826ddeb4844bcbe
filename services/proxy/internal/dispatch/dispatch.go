// Package dispatch calls the candidates of a plan, one after the other, until
// one of them serves the request. The plan is the ordered list of candidates
// that the routing decision chose. All attempts share one deadline and a budget
// of retries, and every attempt is recorded. Run is the entry point; the HTTP
// edge (package api) calls it. The package writes no HTTP response: a stream
// goes to a Sink, and everything else is in the Result.
//
// Until the first content byte, any failure may lead to a call of the next
// candidate. After it, the response is committed: no other candidate may follow.
// An example with the plan A, B, C, where the breaker of A is open:
//
//	A  breaker open          deferred, recorded as BREAKER_OPEN; would be called after C
//	B  called, status 500    nothing sent yet: retry budget allows C
//	C  called, first content commit: the client now gets C's stream
//	   connection breaks     PROVIDER_INTERRUPTED: no other candidate may follow
//
// A candidate that often fails comes after healthy ones. A candidate at its
// provider's limit is called only if the limit has capacity again. If only one
// candidate could be called and the failure may be temporary, it is retried once
// after a backoff.
//
// A client that does not use chat completions gets its response from a provider of the same
// protocol unchanged (relayed), and from any other provider translated. Both kinds can be
// candidates of one plan: see protocol.go.
//
// No other package sends a request again. An adapter that could succeed with another
// key, without thought signatures or on a new connection returns a
// provider.RepeatError, and the repetition is an attempt like any other.
package dispatch

import (
	"context"
	"errors"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/pkg/tokens"
	"github.com/signalbox/signalbox/services/proxy/internal/breaker"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
	"github.com/signalbox/signalbox/services/proxy/internal/limits"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/tracecontext"
)

// Providers finds the adapters of the providers in a policy.
type Providers interface {
	ChatCompleter(name string) (provider.ChatCompleter, bool)
	Embedder(name string) (provider.Embedder, bool)
}

// Job is one request with the plan that serves it.
type Job struct {
	// ID becomes part of the response's id.
	ID        string
	StartedAt time.Time
	Request   *requestbody.Request
	// Question is the question of the decision. Attempts never exceed its MaxCost. It may be
	// nil in tests.
	Question *decide.Question
	Plan     []decide.Candidate
	Policy   *policy.Policy
	// Providers are the adapters of Policy.
	Providers Providers
	// Breakers are shared by all requests; nil means no breakers.
	Breakers *breaker.Set
	// Limits enforces the limits of the providers; nil means no limits.
	Limits *limits.Limiter
	// Transcript captures the text of a stream; nil captures nothing.
	Transcript *normalize.Transcript
	// Tokens learns from reported usage and scales estimates; nil does neither.
	Tokens *tokens.Learner
	// Protocol is the protocol of the client; nil means chat completions and embeddings.
	Protocol inbound.Protocol
	// Header and Query are forwarded to upstreams of the same protocol: see provider.Call.
	Header map[string][]string
	Query  string
	// FeatureHeaders names the headers of Header that request features. A translation drops
	// them and reports their names.
	FeatureHeaders []string
	// UnpricedFeatures names the features that Header requests and whose price is not known.
	// Only upstreams of the same protocol receive them.
	UnpricedFeatures []string
	// Account is the account of the client. The ids of stored objects are bound to it.
	Account string
	// Stored is the stored response that the request continues. It is nil without one.
	Stored *StoredResponse
	// Trace is the trace of the request. It is nil without one. SendTrace passes it on to the
	// upstreams.
	Trace     *tracecontext.Context
	SendTrace bool
	// translated is shared by all attempts. It is nil if Protocol is nil.
	translated *translatedRequest
}

// Sink receives the frames of a stream.
type Sink interface {
	// Commit is called at most once, before the first frame, when the serving candidate
	// is final. dropped names the request fields that the candidate did not
	// receive.
	Commit(served decide.Candidate, dropped []string)
	// Send sends complete frames to the client. An error means that the client
	// has disconnected.
	Send(frames []byte) error
}

// Result is the outcome of a job.
type Result struct {
	// Served is the candidate that responded, completely or in part.
	Served decide.Candidate
	// Dropped names the request fields that the Served candidate did not receive.
	Dropped []string
	// Response is the whole response if the request does not stream.
	Response normalize.Response
	// FinalFrames are the last frames of a stream. The caller writes the record,
	// then sends them, then calls Release.
	FinalFrames []byte
	// Committed reports whether Sink.Commit was called.
	Committed bool
	Attempts  []ledger.Attempt
	Usage     catalog.Usage
	// Estimated means that Usage is at least partly an estimate.
	Estimated bool
	// FirstToken is the time from Job.StartedAt to the first content of a stream.
	FirstToken time.Duration
	// Err is nil on success, otherwise the error for the client.
	Err error
	// Errors writes Err as an event of the client's protocol. It is nil if Job.Protocol is
	// nil or if no stream was committed.
	Errors ErrorWriter
	// stream is the stream of the last attempt, or nil. Job.Transcript refers to it.
	stream *normalize.Stream
}

// ErrorWriter writes the event that ends a broken stream.
type ErrorWriter interface {
	AppendError(dst []byte, e *apperr.Error, o apperr.Options) []byte
}

// Release puts the memory of FinalFrames, Response and the stream back into the pools. After
// that, Job.Transcript must not be read.
func (r *Result) Release() {
	r.Response.Release()
	if r.FinalFrames != nil {
		releaseFrames(r.FinalFrames)
		r.FinalFrames = nil
	}
	if r.stream != nil {
		r.stream.Release()
		r.stream = nil
	}
}

// run is what all attempts of a job share. It is one struct to save allocations.
type run struct {
	job    Job
	picker picker
	result Result
}

// Run executes the job. The context client ends when the client disconnects or the
// process must stop. Run returns when the response is complete except for
// FinalFrames, or when no candidate can serve the request.
func Run(client context.Context, job Job, sink Sink) *Result {
	if client.Err() != nil { // an attempt that no provider receives would have an estimated cost
		return &Result{Err: contextEndError(client)}
	}
	r := &run{job: job}
	if job.Protocol != nil {
		r.job.translated = &translatedRequest{}
	}
	r.picker = picker{job: &r.job, deadline: time.Now().Add(job.totalTimeout())}
	r.callCandidates(client, sink)
	return &r.result
}

func (r *run) callCandidates(client context.Context, sink Sink) {
	job, pk, res := &r.job, &r.picker, &r.result
	s, ok := pk.firstStep(client)
	if !ok {
		res.Err, res.Attempts = pk.noCallError(), deferredAttempts(job, pk.deferred)
	}
	for ok {
		a := &attempt{
			job: job, request: job.Request, candidate: s.candidate, sink: sink, result: res, estimate: newEstimate(job, s.candidate), call: s.call,
			hasAlternative: pk.hasAlternative(), repeat: s.repeat,
		}
		res.Attempts = append(append(res.Attempts, deferredAttempts(job, s.deferred)...), ledger.Attempt{})
		a.record = &res.Attempts[len(res.Attempts)-1]
		err := apperr.From(a.execute(client, pk.deadline))
		s.call.End(pk.toVerdict(err, a.repeatError), retryAfterOf(err))
		settleQuota(s.quota, a.record)
		pk.addSpent(a.record)
		if err == nil {
			res.Err = nil
			return
		}
		if res.Err = err; res.Committed {
			break
		}
		s, ok = pk.stepAfter(client, err, a.repeatError)
	}
	res.Err = job.Stored.explainNoFallback(summarizeFailure(client, res, pk))
}

// deferredAttempts returns attempts for the candidates that were not called when it
// was their turn. In the record, they show why the order of calls differs from the plan.
func deferredAttempts(job *Job, all []deferred) []ledger.Attempt {
	var attempts []ledger.Attempt
	now := time.Since(job.StartedAt)
	for _, d := range all {
		attempts = append(attempts, ledger.Attempt{Candidate: d.candidate, Code: d.code(), Started: now, Ended: now})
	}
	return attempts
}

// totalTimeout returns the common time limit of all attempts: the longest total
// timeout of the providers in the plan.
func (j *Job) totalTimeout() time.Duration {
	var longest time.Duration
	for _, t := range j.Plan {
		if p, ok := j.Policy.Provider(t.Provider); ok {
			longest = max(longest, p.Timeouts.Total)
		}
	}
	return longest
}

// summarizeFailure returns the error for the client: the last error, with all
// attempts in the details if there were several. The details also say whether the retry
// budget or the maximum cost of the request prevented another attempt.
func summarizeFailure(client context.Context, res *Result, pk *picker) error {
	if client.Err() != nil {
		return contextEndError(client)
	}
	e := apperr.From(res.Err)
	if pk.budgetSpent {
		e = e.With("retry_budget", "used up")
	}
	if pk.costReached {
		e = e.With("max_cost", "reached")
	}
	if len(res.Attempts) < 2 {
		return e
	}
	type tried struct {
		Provider string `json:"provider"`
		Model    string `json:"model"`
		Code     string `json:"code"`
		Status   int    `json:"upstream_status,omitempty"`
		Latency  int64  `json:"latency_ms"`
	}
	var all []tried
	for _, a := range res.Attempts {
		all = append(all, tried{a.Candidate.Provider, a.Candidate.Model, a.Code, a.Status, (a.Ended - a.Started).Milliseconds()})
	}
	return e.With("attempts", all)
}

// contextEndError returns why the context of the request ended. A plain cancellation
// means that the client disconnected. An *apperr.Error is the error for the client. Any
// other cause is a shutdown.
func contextEndError(client context.Context) error {
	cause := context.Cause(client)
	if known, ok := errors.AsType[*apperr.Error](cause); ok {
		return known
	}
	if errors.Is(cause, context.Canceled) {
		return apperr.New(apperr.ClientCancelled, "the client closed the connection").WithCause(cause)
	}
	return apperr.New(apperr.GatewayOverloaded, "the gateway is shutting down").WithCause(cause)
}
