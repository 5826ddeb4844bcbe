// Package dispatch carries a request out: it tries the targets of a plan in
// order until one answers, within one deadline, and notes every attempt.
// Before the first content byte any failure may move on to the next target;
// after it, nothing may. It writes no response and knows no transport: what
// arrives goes to a Sink.
package dispatch

import (
	"context"
	"errors"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
	"github.com/signalbox/signalbox/services/proxy/internal/openai"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/tokens"
)

// Providers finds the adapters of a policy.
type Providers interface {
	Chatter(name string) (provider.Chatter, bool)
	Embedder(name string) (provider.Embedder, bool)
}

// Job is one request to carry out.
type Job struct {
	// ID names the answer to the client.
	ID      string
	Began   time.Time
	Request *openai.Request
	Plan    []decide.Target
	Policy  *policy.Policy
	// Providers of that policy.
	Providers Providers
	// Transcript keeps what a stream says; nil keeps nothing.
	Transcript *openai.Transcript
	// Tokens learns from what is reported and scales what is not; nil does
	// neither.
	Tokens *tokens.Learner
}

// Sink receives a stream.
type Sink interface {
	// Commit is called once, before the first frame, when it is certain which
	// target serves. Dropped names the fields of the request that it was not
	// given.
	Commit(t decide.Target, dropped []string)
	// Send passes complete frames on. An error means that the client is gone.
	Send(frames []byte) error
}

// Result is what became of a job.
type Result struct {
	// Served is the target that answered, in whole or in part.
	Served decide.Target
	// Dropped names the fields of the request that it was not given.
	Dropped []string
	// Answer is a whole answer, for a request that is not a stream.
	Answer openai.Answer
	// Last are the final frames of a stream. The caller sends them after it
	// has written the record, and then calls Release.
	Last []byte
	// Committed is whether the sink was given anything.
	Committed  bool
	Attempts   []ledger.Attempt
	Usage      catalog.Usage
	Estimated  bool
	FirstToken time.Duration
	// Err is nil on success, else an error for the client.
	Err error
}

// Release gives back the memory of Last.
func (r *Result) Release() {
	if r.Last != nil {
		freeFrames(r.Last)
		r.Last = nil
	}
}

// Run carries the job out. client ends when the client leaves, or when the
// process must stop. It returns when the answer is complete, but for
// Last, or when no target can give one.
func Run(client context.Context, job Job, sink Sink) Result {
	var res Result
	plan := job.Plan[:min(len(job.Plan), 1+job.Policy.Defaults.Retries)]
	ctx, cancel := context.WithTimeoutCause(client, job.longest(plan), errTotal)
	defer cancel()
	for _, target := range plan {
		a := &attempt{job: job, target: target, sink: sink, result: &res, counts: countsOf(job, target)}
		a.note = ledger.Attempt{Target: target, Started: time.Since(job.Began)}
		err := a.run(client, ctx)
		a.note.Ended = time.Since(job.Began)
		a.note.Code = string(apperr.CodeOf(err))
		a.counts.learn(job, &a.note, err)
		res.Attempts = append(res.Attempts, a.note)
		res.Err = err
		if err == nil || res.Committed || !mayMoveOn(ctx, err) {
			break
		}
	}
	res.Err = summarise(client, res)
	return res
}

// longest is the one deadline of all attempts: what the most patient provider
// of the plan is allowed for one.
func (j Job) longest(plan []decide.Target) time.Duration {
	var longest time.Duration
	for _, t := range plan {
		if p, ok := j.Policy.Provider(t.Provider); ok {
			longest = max(longest, p.Timeouts.Total)
		}
	}
	return longest
}

// mayMoveOn tells failures of a target from faults of the request, which would
// fail everywhere.
func mayMoveOn(ctx context.Context, err error) bool {
	if deadline, ok := ctx.Deadline(); ctx.Err() != nil || ok && !time.Now().Before(deadline) {
		return false
	}
	switch apperr.CodeOf(err) {
	case apperr.ProviderBadRequest, apperr.ContentFiltered, apperr.InvalidRequest,
		apperr.RequestTooLarge, apperr.ClientCancelled, apperr.GatewayOverloaded:
		return false
	}
	return true
}

// summarise makes the client's error: the last one, with every attempt in the
// details when there were several.
func summarise(client context.Context, res Result) error {
	if res.Err == nil {
		return nil
	}
	if client.Err() != nil {
		return gone(client)
	}
	e := apperr.From(res.Err)
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
		all = append(all, tried{a.Target.Provider, a.Target.Model, a.Code, a.Status, (a.Ended - a.Started).Milliseconds()})
	}
	return e.With("attempts", all)
}

// gone explains why the request's own context ended: a client that leaves
// cancels it plainly, a shutdown gives its reason.
func gone(client context.Context) error {
	cause := context.Cause(client)
	if errors.Is(cause, context.Canceled) {
		return apperr.New(apperr.ClientCancelled, "the client closed the connection").Because(cause)
	}
	return apperr.New(apperr.GatewayOverloaded, "the gateway is shutting down").Because(cause)
}
