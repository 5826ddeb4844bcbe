package dispatch

import (
	"context"
	"encoding/binary"
	"io"
	"math/rand/v2"
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
	"github.com/signalbox/signalbox/services/proxy/internal/namelist"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/storedid"
)

// attempt is one call to one upstream.
type attempt struct {
	job *Job
	// request is the request that the adapter receives: the client's or its translation.
	request   *requestbody.Request
	candidate decide.Candidate
	sink      Sink
	result    *Result
	// record is the last one of result.Attempts.
	record   *ledger.Attempt
	estimate estimate
	call     breaker.Call
	// hasAlternative means that another candidate could be called after this one.
	hasAlternative bool
	// repeat is how the call differs from earlier calls to the same candidate.
	repeat provider.Repeat
	// translation is set if request is a translation. isRelayed is set if the provider speaks
	// the client's protocol.
	translation *inbound.Translation
	isRelayed   bool
	// signer signs the ids of the objects that the upstream has stored. It may be nil.
	signer *storedid.Signer
	// errors writes errors as events of the client's protocol. It is nil for chat completions.
	errors ErrorWriter
	// repeatError is set if the adapter asks for another call to the same candidate.
	repeatError *provider.RepeatError
}

func (a *attempt) execute(client context.Context, deadline time.Time) error {
	*a.record = ledger.Attempt{Candidate: a.candidate, Started: time.Since(a.job.StartedAt)}
	if a.job.Trace != nil && a.job.Trace.IsRecorded {
		a.record.Span = newSpanID()
	}
	err := a.callUpstream(client, deadline)
	a.record.Ended = time.Since(a.job.StartedAt)
	a.record.Code = string(apperr.CodeOf(err))
	a.estimate.learn(a.job, a.record, err)
	return err
}

// callUpstream makes the call and passes the response on to the client. All attempts
// of a request share the deadline.
func (a *attempt) callUpstream(client context.Context, deadline time.Time) error {
	prov, ok := a.job.Policy.Provider(a.candidate.Provider)
	if !ok {
		return apperr.New(apperr.Internal, "the plan names a provider that the policy does not have").With("provider", a.candidate.Provider)
	}
	watch := newWatchdog(client, deadline, a.timeouts(deadline, prov.Timeouts))
	defer watch.stop()
	resp, err := a.callAdapter(watch.ctx)
	if err != nil {
		return a.classifyError(client, watch, err)
	}
	a.signer = resp.Signer
	a.record.Status, a.record.UpstreamID, a.record.Dropped = resp.Status, resp.UpstreamID, truncateNames(resp.DroppedFields)
	if resp.Events != nil {
		// Closing the events stops a blocked read when the attempt times out,
		// even if the adapter ignores its context.
		stop := context.AfterFunc(watch.ctx, func() { _ = resp.Events.Close() })
		defer stop()
		defer func() { _ = resp.Events.Close() }()
	}
	if err := a.receive(watch, resp); err != nil {
		if resp.ReportError != nil {
			resp.ReportError(err)
		}
		return a.classifyError(client, watch, err)
	}
	return nil
}

// timeouts returns the time limits of the attempt. A response that is not streamed
// shows no progress, so its attempt may use the whole remaining time, or half of it if
// another candidate could be called.
func (a *attempt) timeouts(deadline time.Time, t policy.Timeouts) timeouts {
	b := timeouts{Timeouts: t, lateErr: errFirstToken}
	if a.job.Request.Stream {
		b.onFirstProgress = a.call.MarkAlive
		return b
	}
	b.FirstToken = 0
	if a.hasAlternative {
		b.FirstToken, b.lateErr = time.Until(deadline)/2, errResponseShare
	}
	return b
}

// maxDropped and maxDroppedName limit the number and the length of the dropped field
// names in a record. The names come from the client.
const (
	maxDropped     = 32
	maxDroppedName = 64
)

func truncateNames(names []string) []string {
	names = names[:min(len(names), maxDropped)]
	for i, name := range names {
		names[i] = name[:min(len(name), maxDroppedName)]
	}
	return names
}

func (a *attempt) callAdapter(ctx context.Context) (*provider.Response, error) {
	if a.job.Protocol != nil {
		return a.callForProtocol(ctx)
	}
	return a.callForChat(ctx)
}

// callForChat sends a request in the OpenAI format.
func (a *attempt) callForChat(ctx context.Context) (*provider.Response, error) {
	if err := a.applyEffort(&a.request); err != nil {
		return nil, err
	}
	call := a.buildCall()
	if a.request.Kind == catalog.Embeddings {
		p, ok := a.job.Providers.Embedder(a.candidate.Provider)
		if !ok {
			return nil, a.unsupportedError()
		}
		return p.Embed(ctx, call)
	}
	p, ok := a.job.Providers.ChatCompleter(a.candidate.Provider)
	if !ok {
		return nil, a.unsupportedError()
	}
	return p.CompleteChat(ctx, call)
}

// newSpanID returns a random id, which is never zero.
func newSpanID() (id [8]byte) {
	binary.BigEndian.PutUint64(id[:], rand.Uint64()|1)
	return id
}

func (a *attempt) unsupportedError() error {
	return apperr.New(apperr.ProviderModelUnavailable, "the provider does not serve this kind of request").
		With("provider", a.candidate.Provider).With("model", a.candidate.Model)
}

// buildCall returns the call with the endpoint's model name, wire format and
// output limit.
func (a *attempt) buildCall() provider.Call {
	call := provider.Call{Request: a.request, UpstreamModel: a.candidate.Model, Repeat: a.repeat}
	if a.job.Trace != nil && a.job.SendTrace {
		call.TraceParent = a.job.Trace.ParentFor(a.record.Span)
	}
	model, ok := a.job.Policy.Model(a.candidate.Model)
	if !ok {
		return call
	}
	if e, ok := model.EndpointAt(a.candidate.Provider); ok {
		call.UpstreamModel, call.Wire, call.MaxOutputTokens = e.UpstreamModel, e.Wire, model.EndpointMaxOutput(e)
	}
	if a.translation != nil {
		call.Wire = dropRejectedEffort(call.Wire, a.request)
	}
	return call
}

// receive reads the response in the format in which the upstream sent it: events or
// one body. It passes the response on in the format that the client requested.
func (a *attempt) receive(w *watchdog, resp *provider.Response) error {
	req := a.request
	switch {
	case a.isRelayed:
		return a.receiveNative(w, resp)
	case req.Kind == catalog.Embeddings:
		response, err := normalize.Embeddings(resp.Body, req, a.candidate.Model)
		return a.acceptCopied(resp, response, err)
	case resp.Events != nil && req.Stream:
		return a.relayStream(w, a.newStream(), resp.Events)
	case resp.Events != nil:
		response, err := a.collectEvents(w, resp.Events)
		return a.acceptResponse(response, err)
	case req.Stream:
		return a.relayStream(w, a.newStream(), &singleEvent{body: resp.Body})
	}
	response, err := normalize.Chat(resp.Body, a.responseOptions())
	return a.acceptCopied(resp, response, err)
}

// acceptCopied is acceptResponse for a response that does not share memory with the upstream's body.
// An error may contain parts of the body, which then is not reused.
func (a *attempt) acceptCopied(from *provider.Response, response normalize.Response, err error) error {
	if err == nil && from.ReleaseBody != nil {
		from.ReleaseBody()
	}
	return a.acceptResponse(response, err)
}

func (a *attempt) responseOptions() normalize.Options {
	return normalize.Options{
		ID: "chatcmpl-" + a.job.ID, Created: a.job.StartedAt.Unix(), Model: a.candidate.Model,
		InputTokens: a.estimate.input, OutputRatio: a.estimate.outputRatio, Choices: a.request.Choices,
	}
}

func (a *attempt) acceptResponse(response normalize.Response, err error) error {
	if a.translation != nil && err == nil {
		var body []byte
		body, err = a.translation.FromChat(response.Body, a.inboundOptions())
		response.SetBody(body)
	}
	if err != nil {
		a.recordReported(response) // the provider bills a failed response too
		return err
	}
	a.recordUsage(response, response.OutputTextBytes)
	a.result.Response = response
	a.result.Served, a.result.Dropped = a.candidate, a.record.Dropped
	return nil
}

// recordUsage records the usage that the upstream reports, and estimates missing counts.
func (a *attempt) recordUsage(reported normalize.Response, textBytes int) {
	a.recordReported(reported)
	a.estimate.outputTokens = tokens.EstimateFromLength(textBytes)
	usage, estimated := reported.Usage, false
	switch {
	case usage == nil:
		usage = &catalog.Usage{Input: a.estimate.input, Output: a.estimate.outputRatio.Scale(a.estimate.outputTokens)}
		estimated = true
	case reported.OutputUnknown && textBytes > 0:
		usage.Output, estimated = a.estimate.outputRatio.Scale(a.estimate.outputTokens), true
	}
	a.record.Usage, a.record.Estimated = usage, estimated
	a.result.Usage, a.result.Estimated = *usage, estimated
}

func (a *attempt) recordReported(r normalize.Response) {
	a.record.Usage, a.record.UsageDifference, a.record.ReportedNanoUSD = r.Usage, r.UsageDiscrepancy, r.ReportedNanoUSD
	unpriced := namelist.List(r.Unpriced)
	if a.isRelayed {
		unpriced.AddAll(a.job.UnpricedFeatures)
	}
	a.record.Unpriced = unpriced
}

// singleEvent is a whole response as a stream of one event.
type singleEvent struct{ body []byte }

func (s *singleEvent) Next() ([]byte, error) {
	if s.body == nil {
		return nil, io.EOF
	}
	body := s.body
	s.body = nil
	return body, nil
}

func (s *singleEvent) Close() error { return nil }
