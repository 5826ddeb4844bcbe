package messages

import (
	"bytes"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
	"github.com/signalbox/signalbox/services/proxy/internal/upstreamerror"
)

// relay forwards the events of an upstream that uses the same protocol. It implements
// inbound.Relay.
type relay struct {
	in    jsonscan.Reader
	model string
	// event is the event being read.
	event   relayEvent
	usage   nativeUsage
	started bool
	// hasFinalUsage is set once an event after message_start has reported the output count,
	// because message_start does not contain the final one.
	hasFinalUsage bool
	// finished is set once the stop reason is known, stopped after message_stop, and done
	// once the upstream has ended the stream.
	finished, stopped, done bool
	// failure is the error of an error event after the first content, and failureEvent is
	// that event.
	failure      error
	failureEvent []byte
	textBytes    int
}

// NewRelay returns the reader of one streamed response.
func (Protocol) NewRelay(o inbound.Options) inbound.Relay { return &relay{model: o.Model} }

// AppendEvent appends the frame for one event. The bytes of the event stay the same, except
// for the model name. An error event is an error if the client has no content yet. Otherwise
// AppendError forwards it.
func (r *relay) AppendEvent(dst, payload []byte) ([]byte, error) {
	if len(payload) == 0 {
		return dst, nil
	}
	payload = normalize.ReplaceLineBreaks(payload)
	if err := r.readEvent(payload); err != nil {
		return dst, err
	}
	e := &r.event
	if e.isError {
		err := upstreamerror.ParseInBand(payload)
		if !r.started {
			return dst, err
		}
		r.failure, r.failureEvent = err, bytes.Clone(payload)
		return dst, nil
	}
	if kind := inner(e.kind); len(kind) > 0 {
		dst = append(append(append(dst, "event: "...), kind...), '\n')
	}
	dst = append(dst, "data: "...)
	dst = appendWithModel(dst, payload, e.model, r.model)
	return append(dst, "\n\n"...), nil
}

// appendWithModel appends a body with another model name. at is the span of the old name's
// value, or empty.
func appendWithModel(dst, body []byte, at valueSpan, model string) []byte {
	if at.to == 0 {
		return append(dst, body...)
	}
	dst = append(dst, body[:at.from]...)
	dst = jsonscan.AppendQuoted(dst, model)
	return append(dst, body[at.to:]...)
}

// Finish appends message_stop if the upstream did not send it. It fails with
// PROVIDER_STREAM_INTERRUPTED if the response is incomplete.
func (r *relay) Finish(dst []byte) ([]byte, error) {
	switch {
	case r.failure != nil:
		return dst, r.failure
	case r.stopped:
		return dst, nil
	case r.finished:
		return append(dst, "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"...), nil
	}
	return dst, apperr.New(apperr.ProviderInterrupted, "the provider's stream ended before the response was complete").
		With("reason", "no message_stop").With("partial", r.started)
}

// AppendError appends an error event. If the upstream has sent one, it appends that event
// with the members code and details of e, because clients act on the upstream's error type.
func (r *relay) AppendError(dst []byte, e *apperr.Error, o apperr.Options) []byte {
	if r.failure == nil {
		return appendErrorEvent(dst, e, o)
	}
	o.Format = apperr.Anthropic
	body := e.Body(o)
	event := bytes.TrimSpace(r.failureEvent)
	dst = append(append(dst, "event: error\ndata: "...), event[:len(event)-1]...)
	dst = appendMember(append(dst, ','), "code", jsonscan.Member(body, "code"))
	dst = appendMember(dst, "details", jsonscan.Member(body, "details"))
	return append(closeWith(dst, "}"), "\n\n"...)
}

// HasStarted reports whether the upstream has sent content.
func (r *relay) HasStarted() bool { return r.started }

// IsFinished reports whether the content is complete. Nothing follows an error event, even if
// the upstream keeps the connection open.
func (r *relay) IsFinished() bool { return r.finished || r.stopped || r.failure != nil }

// HasCompleteUsage reports whether input and output usage have arrived.
func (r *relay) HasCompleteUsage() bool { return r.hasFinalUsage }

// MarkDone records that the upstream has ended the stream.
func (r *relay) MarkDone() { r.done = true }

// OutputTextBytes returns the approximate length of the delivered text.
func (r *relay) OutputTextBytes() int { return r.textBytes }

// ReportedValues returns the usage that the upstream has reported. The output count of
// message_start is only a placeholder.
func (r *relay) ReportedValues() normalize.Response {
	r.usage.HasOutput = r.hasFinalUsage
	return r.usage.toResponse()
}

func (u *nativeUsage) toResponse() normalize.Response {
	response := normalize.Response{Usage: u.Buckets(), Unpriced: u.Unpriced}
	if response.Usage != nil && !u.HasOutput {
		response.OutputUnknown = true
		response.Usage.Output, response.Usage.Reasoning = 0, 0
	}
	return response
}
