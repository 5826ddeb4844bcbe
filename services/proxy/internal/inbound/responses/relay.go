package responses

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound"
	"github.com/signalbox/signalbox/services/proxy/internal/namelist"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
	"github.com/signalbox/signalbox/services/proxy/internal/upstreamerror"
	"github.com/signalbox/signalbox/services/proxy/internal/usagereport"
)

// relay implements inbound.Relay.
type relay struct {
	options inbound.Options
	reader  jsonscan.Reader
	usage   usagereport.Report
	// unpriced names what the upstream charges in addition to usage.
	unpriced namelist.List
	// responseID is the id that the client gets, once it is known. nextSequence is one more
	// than the last sequence number.
	responseID   string
	nextSequence int64
	textBytes    int
	values       []replaceable
	// created is set after the response was announced. started is set after the first
	// content.
	created, started, finished bool
	// failure is the error that the upstream reported after the first content. failureEvent
	// is its event, without the blank line that ends it.
	failure      error
	failureEvent []byte
}

// NewRelay implements inbound.Protocol.
func (Protocol) NewRelay(o inbound.Options) inbound.Relay { return &relay{options: o} }

func (r *relay) HasStarted() bool       { return r.started }
func (r *relay) IsFinished() bool       { return r.finished }
func (r *relay) HasCompleteUsage() bool { return r.usage.HasInputOrOutput() && !r.usage.IsInputOnly() }

// MarkDone does nothing: streams of this protocol end with an event, not with [DONE].
func (r *relay) MarkDone() {}

func (r *relay) OutputTextBytes() int { return r.textBytes }

func (r *relay) ReportedValues() normalize.Response { return reportedValues(&r.usage, r.unpriced) }

// AppendEvent implements inbound.Relay. Events after an error are ignored, because the client
// gets the first error.
func (r *relay) AppendEvent(dst, payload []byte) ([]byte, error) {
	if len(payload) == 0 || r.failure != nil {
		return dst, nil
	}
	payload = joinLines(payload)
	event, err := r.parseEvent(payload)
	r.values = event.values[:0]
	if err != nil {
		return dst, err
	}
	if err := r.applyEvent(&event, payload); err != nil {
		return dst, err
	}
	if r.failure != nil {
		r.failureEvent = r.appendFrame(nil, &event, payload)
		return dst, nil
	}
	return append(r.appendFrame(dst, &event, payload), "\n\n"...), nil
}

// appendFrame appends the event without the blank line that ends it.
func (r *relay) appendFrame(dst []byte, event *relayEvent, payload []byte) []byte {
	if kind := escapedText(event.kind); len(kind) > 0 {
		dst = append(append(append(dst, "event: "...), kind...), '\n')
	}
	return event.appendReplaced(append(dst, "data: "...), payload, &r.options)
}

// applyEvent updates the state. It returns the error that the event reports if nothing was
// sent yet.
func (r *relay) applyEvent(event *relayEvent, payload []byte) error {
	kind := jsonscan.DecodeText(event.kind)
	switch {
	case kind == "error", kind == "" && !jsonscan.IsEmptyOrFalse(event.failure):
		return r.fail(payload)
	case kind == "response.failed":
		r.readUsage(event.response)
		return r.fail(failedBody(event.response))
	case kind == "response.completed", kind == "response.incomplete":
		r.readUsage(event.response)
		r.started, r.finished = true, true
	case kind == "response.output_item.done":
		addTool(&r.unpriced, event.item)
	case strings.HasSuffix(kind, ".delta"):
		r.textBytes += jsonscan.DecodedLen(event.delta)
	}
	r.noteProgress(event, kind)
	return nil
}

// noteProgress records how far the response is.
func (r *relay) noteProgress(event *relayEvent, kind string) {
	if n, ok := jsonscan.ParseInteger(event.sequence); ok && n >= r.nextSequence {
		r.nextSequence = n + 1
	}
	if !r.created && len(event.response) > 0 {
		r.created, r.responseID = true, event.clientID(&r.options)
	}
	r.started = r.started || isContent(kind)
}

func (r *relay) readUsage(response jsontext.Value) {
	if usage := jsonscan.Member(response, "usage"); isObject(usage) {
		r.usage = readNativeUsage(usage)
	}
	addUnpriced(&r.unpriced, jsonscan.Member(response, "output"), jsonscan.Member(response, "service_tier"))
}

// fail handles an error of the upstream. After the first content AppendError forwards the
// event, because only the client can handle the error.
func (r *relay) fail(body []byte) error {
	err := upstreamerror.ParseInBand(body)
	if !r.started {
		return err
	}
	r.finished, r.failure = true, err
	return nil
}

// failedBody returns the error in a failed response.
func failedBody(response jsontext.Value) []byte {
	if failure := jsonscan.Member(response, "error"); isObject(failure) {
		return failure
	}
	return []byte(`{}`)
}

// Finish implements inbound.Relay. It returns the upstream's error if the upstream has
// reported one after the first content.
func (r *relay) Finish(dst []byte) ([]byte, error) {
	if r.failure != nil {
		return dst, r.failure
	}
	if !r.finished {
		return dst, apperr.New(apperr.ProviderInterrupted, "the provider's stream ended before the response was complete").
			With("reason", "no response.completed").With("partial", r.started)
	}
	return dst, nil
}

// AppendError implements inbound.Relay. If the upstream has sent an error, it appends that
// event with the members code and details of e, because clients act on the upstream's error.
func (r *relay) AppendError(dst []byte, e *apperr.Error, o apperr.Options) []byte {
	if r.failure != nil {
		return r.appendFailure(dst, e, o)
	}
	if !r.created {
		return appendErrorEvent(dst, r.nextSequence, e, o)
	}
	dst = appendName(beginEvent(dst, "response.failed", r.nextSequence), "response")
	dst = jsonscan.AppendQuoted(append(dst, `{"id":`...), r.responseID)
	dst = appendNumberMember(append(dst, `,"object":"response"`...), "created_at", r.options.Created)
	dst = appendMember(append(dst, `,"status":"failed"`...), "error", failureObject(e))
	dst = appendTextMember(append(dst, `,"incomplete_details":null`...), "model", r.options.Model)
	dst = append(dst, `,"output":[],"parallel_tool_calls":true,"tool_choice":"auto","tools":[],"usage":null,"metadata":{}}`...)
	return endEvent(appendCodeAndDetails(dst, e, o))
}

// appendFailure appends the upstream's error event. An event of the type error has a code of
// its own, which stays.
func (r *relay) appendFailure(dst []byte, e *apperr.Error, o apperr.Options) []byte {
	event := bytes.TrimRight(r.failureEvent, " \t")
	_, payload, _ := bytes.Cut(event, []byte("data: "))
	dst = append(dst, event[:len(event)-1]...)
	if len(jsonscan.Member(payload, "code")) == 0 {
		return endEvent(appendCodeAndDetails(dst, e, o))
	}
	o.Format = apperr.Responses
	return endEvent(appendMember(dst, "details", jsonscan.Member(e.Body(o), "details")))
}
