package dispatch

import (
	"context"
	"io"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/breaker"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
	"github.com/signalbox/signalbox/services/proxy/internal/openai"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/tokens"
)

// attempt is one call to one upstream.
type attempt struct {
	job    Job
	target decide.Target
	sink   Sink
	result *Result
	note   ledger.Attempt
	counts counts
	call   breaker.Call
	// spare is whether another target could be called instead.
	spare bool
}

// try makes the attempt and notes it.
func (a *attempt) try(client context.Context, deadline time.Time) error {
	a.note = ledger.Attempt{Target: a.target, Started: time.Since(a.job.Began)}
	err := a.run(client, deadline)
	a.note.Ended = time.Since(a.job.Began)
	a.note.Code = string(apperr.CodeOf(err))
	a.counts.learn(a.job, &a.note, err)
	return err
}

// run makes the call. The deadline is that of all attempts.
func (a *attempt) run(client context.Context, deadline time.Time) error {
	prov, ok := a.job.Policy.Provider(a.target.Provider)
	if !ok {
		return apperr.New(apperr.Internal, "the plan names an unknown provider").With("provider", a.target.Provider)
	}
	watch := newWatch(client, deadline, a.bounds(deadline, prov.Timeouts))
	defer watch.stop()
	reply, err := a.ask(watch.ctx)
	if err != nil {
		return a.explain(client, watch, err)
	}
	a.note.Status, a.note.UpstreamID, a.note.Dropped = reply.Status, reply.UpstreamID, bounded(reply.Dropped)
	if reply.Events != nil {
		// Reading stops when the attempt's time is over, whatever the adapter
		// does with its context.
		stop := context.AfterFunc(watch.ctx, func() { _ = reply.Events.Close() })
		defer stop()
		defer func() { _ = reply.Events.Close() }()
	}
	if err := a.receive(watch, reply); err != nil {
		if reply.Failed != nil {
			reply.Failed(err)
		}
		return a.explain(client, watch, err)
	}
	return nil
}

// bounds are the limits of the attempt. A whole answer shows no sign of life
// before it is there, so it has all the time there is, but where another target
// could be called it leaves half of it to that.
func (a *attempt) bounds(deadline time.Time, t policy.Timeouts) bounds {
	b := bounds{Timeouts: t, late: errFirstToken}
	if a.job.Request.Stream {
		b.alive = a.call.Alive
		return b
	}
	b.FirstToken = 0
	if a.spare {
		b.FirstToken, b.late = time.Until(deadline)/2, errShare
	}
	return b
}

// How many names of dropped fields are kept, and how much of each: they may be
// a client's own.
const (
	maxDropped     = 32
	maxDroppedName = 64
)

func bounded(names []string) []string {
	names = names[:min(len(names), maxDropped)]
	for i, name := range names {
		names[i] = name[:min(len(name), maxDroppedName)]
	}
	return names
}

func (a *attempt) ask(ctx context.Context) (*provider.Reply, error) {
	call := a.place()
	if a.job.Request.Kind == catalog.Embeddings {
		p, ok := a.job.Providers.Embedder(a.target.Provider)
		if !ok {
			return nil, a.unserved()
		}
		return p.Embed(ctx, call)
	}
	p, ok := a.job.Providers.Chatter(a.target.Provider)
	if !ok {
		return nil, a.unserved()
	}
	return p.Chat(ctx, call)
}

func (a *attempt) unserved() error {
	return apperr.New(apperr.ProviderModelUnavailable, "the provider does not serve this kind of request").
		With("provider", a.target.Provider).With("model", a.target.Model)
}

// place is the call, as the place wants it that serves the model.
func (a *attempt) place() provider.Call {
	call := provider.Call{Request: a.job.Request, Upstream: a.target.Model}
	model, ok := a.job.Policy.Model(a.target.Model)
	if !ok {
		return call
	}
	if e, ok := model.At(a.target.Provider); ok {
		call.Upstream, call.Wire, call.MaxOutput = e.Upstream, e.Wire, model.MaxOutputAt(e)
	}
	return call
}

// receive takes the answer in whichever form the upstream chose and passes it
// on in the form the client asked for.
func (a *attempt) receive(w *watch, reply *provider.Reply) error {
	req := a.job.Request
	switch {
	case req.Kind == catalog.Embeddings:
		answer, err := openai.EmbeddingsAnswer(reply.Body, req, a.target.Model)
		return a.whole(answer, err)
	case reply.Events != nil && req.Stream:
		return a.stream(w, reply.Events)
	case reply.Events != nil:
		answer, err := a.collect(w, reply.Events)
		return a.whole(answer, err)
	case req.Stream:
		return a.stream(w, &single{body: reply.Body})
	}
	answer, err := openai.ChatAnswer(reply.Body, a.options())
	return a.whole(answer, err)
}

func (a *attempt) options() openai.AnswerOptions {
	return openai.AnswerOptions{
		ID: "chatcmpl-" + a.job.ID, Created: a.job.Began.Unix(), Model: a.target.Model,
		InputTokens: a.counts.input, Output: a.counts.output, Choices: a.job.Request.Choices,
	}
}

func (a *attempt) whole(answer openai.Answer, err error) error {
	if err != nil {
		a.reported(answer) // what a failed answer used is paid for too
		return err
	}
	a.note.FirstToken = time.Since(a.job.Began)
	a.used(answer, answer.OutputText)
	a.result.Answer = answer
	a.result.Served, a.result.Dropped = a.target, a.note.Dropped
	return nil
}

// used notes what the upstream reports, and an estimate of what it does not.
func (a *attempt) used(reported openai.Answer, textBytes int) {
	a.reported(reported)
	a.counts.text = tokens.OfBytes(textBytes)
	usage, estimated := reported.Usage, false
	switch {
	case usage == nil:
		usage = &catalog.Usage{Input: a.counts.input, Output: a.counts.output.Of(a.counts.text)}
		estimated = true
	case reported.OutputUnknown && textBytes > 0:
		usage.Output, estimated = a.counts.output.Of(a.counts.text), true
	}
	a.note.Usage, a.note.Estimated = usage, estimated
	a.result.Usage, a.result.Estimated = *usage, estimated
}

// reported notes what the upstream says of itself.
func (a *attempt) reported(r openai.Answer) {
	a.note.Usage, a.note.UsageDifference, a.note.ReportedNanoUSD = r.Usage, r.UsageDifference, r.ReportedNanoUSD
}

// single is a whole answer as a stream of one event.
type single struct{ body []byte }

func (s *single) Next() ([]byte, error) {
	if s.body == nil {
		return nil, io.EOF
	}
	body := s.body
	s.body = nil
	return body, nil
}

func (s *single) Close() error { return nil }
