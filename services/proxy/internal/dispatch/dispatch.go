// Package dispatch carries a request out: it tries the targets of a plan in
// order, those that are out of use last, until one answers, within one deadline
// and a budget of retries, and notes every attempt.
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
	"github.com/signalbox/signalbox/services/proxy/internal/breaker"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
	"github.com/signalbox/signalbox/services/proxy/internal/limits"
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
	// Breakers are those of all requests; nil has none.
	Breakers *breaker.Set
	// Limits keeps what providers let us do; nil has no limits.
	Limits *limits.Keeper
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
	w := &walk{job: job, deadline: time.Now().Add(job.longest())}
	s, ok := w.first(client)
	if !ok {
		res.Err, res.Attempts = w.allAtLimit(), skipped(job, w.aside)
	}
	for ok {
		a := &attempt{job: job, target: s.target, sink: sink, result: &res, counts: countsOf(job, s.target), call: s.call, spare: w.spare()}
		res.Attempts = append(res.Attempts, skipped(job, s.skipped)...)
		err := apperr.From(a.try(client, w.deadline))
		s.call.End(verdictOf(err, w.calls > 1), waitOf(err))
		settle(s.pass, &a.note)
		res.Attempts = append(res.Attempts, a.note)
		if err == nil {
			res.Err = nil
			return res
		}
		if res.Err = err; res.Committed {
			break
		}
		s, ok = w.after(client, err)
	}
	res.Err = summarise(client, res, w.over)
	return res
}

// skipped notes targets that were passed over when their turn came. They are
// among the attempts because that is when and why the plan was left.
func skipped(job Job, over []aside) []ledger.Attempt {
	var notes []ledger.Attempt
	now := time.Since(job.Began)
	for _, a := range over {
		notes = append(notes, ledger.Attempt{Target: a.target, Code: a.code(), Started: now, Ended: now})
	}
	return notes
}

// longest is the one deadline of all attempts: what the most patient provider
// of the plan is allowed for one.
func (j Job) longest() time.Duration {
	var longest time.Duration
	for _, t := range j.Plan {
		if p, ok := j.Policy.Provider(t.Provider); ok {
			longest = max(longest, p.Timeouts.Total)
		}
	}
	return longest
}

// summarise makes the client's error: the last one, with every attempt in the
// details when there were several. over is whether the budget of retries kept
// it from going on.
func summarise(client context.Context, res Result, over bool) error {
	if client.Err() != nil {
		return gone(client)
	}
	e := apperr.From(res.Err)
	if over {
		e = e.With("retry_budget", "used up")
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
