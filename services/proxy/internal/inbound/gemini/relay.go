package gemini

import (
	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
	"github.com/signalbox/signalbox/services/proxy/internal/usagereport"
)

// relay forwards one stream of Google's API. Only modelVersion changes.
type relay struct {
	model  string
	frames frameWriter
	event  relayedEvent
	usage  usagereport.Google
	// hasUsage is set once usage was reported.
	hasUsage, started, isBlocked bool
	candidates                   []relayedCandidate
	textBytes                    int
	searchCount                  int64
}

type relayedCandidate struct{ started, finished bool }

// AppendEvent appends the frame for one event. An empty payload is a heartbeat. If the event
// reports an error or cannot be parsed, AppendEvent fails and returns dst unchanged.
func (r *relay) AppendEvent(dst, payload []byte) ([]byte, error) {
	if len(payload) == 0 {
		return dst, nil
	}
	e := &r.event
	if err := e.parse(payload); err != nil {
		return dst, err
	}
	r.updateState(e)
	dst = r.frames.appendStart(dst)
	from := len(dst)
	dst = e.appendWithModel(dst, e.Source(), r.model)
	return r.frames.appendFinish(dst, from), nil
}

func (r *relay) updateState(e *relayedEvent) {
	if e.hasUsage {
		r.usage, r.hasUsage = e.usage, true
	}
	r.isBlocked = r.isBlocked || e.isBlocked
	r.started = r.started || e.hasContent || e.isBlocked
	r.textBytes += e.textBytes
	r.searchCount = max(r.searchCount, e.searchCount)
	for _, c := range e.candidates {
		for len(r.candidates) <= c.index {
			r.candidates = append(r.candidates, relayedCandidate{})
		}
		known := &r.candidates[c.index]
		known.started, known.finished = true, known.finished || c.finished
		r.started = r.started || c.finished
	}
}

// Finish appends the end of the stream. It fails with PROVIDER_STREAM_INTERRUPTED if a finish
// reason is missing.
func (r *relay) Finish(dst []byte) ([]byte, error) {
	if !r.IsFinished() {
		return dst, apperr.New(apperr.ProviderInterrupted, "the provider's stream ended before the response was complete").
			With("reason", "no finishReason").With("partial", r.started)
	}
	return r.frames.appendEnd(dst), nil
}

func (r *relay) AppendError(dst []byte, e *apperr.Error, o apperr.Options) []byte {
	return r.frames.appendError(dst, e, o)
}

// HasStarted reports whether the upstream has sent content, or the end of the response.
func (r *relay) HasStarted() bool { return r.started }

// IsFinished reports whether all candidates that started have a finish reason, or Google has
// blocked the prompt.
func (r *relay) IsFinished() bool {
	if len(r.candidates) == 0 {
		return r.isBlocked
	}
	for _, c := range r.candidates {
		if c.started && !c.finished {
			return false
		}
	}
	return true
}

// HasCompleteUsage reports whether the usage of the whole response has arrived. Google sends
// the count of the prompt with the first event already.
func (r *relay) HasCompleteUsage() bool {
	return r.hasUsage && (r.usage.HasOutput || r.IsFinished())
}

// MarkDone does nothing, because Google marks the end with finish reasons.
func (r *relay) MarkDone() {}

func (r *relay) OutputTextBytes() int { return r.textBytes }

// ReportedValues returns the usage of the last event that had one.
func (r *relay) ReportedValues() normalize.Response {
	if !r.hasUsage {
		return normalize.Response{}
	}
	return usageResponse(&r.usage, r.textBytes, r.searchCount)
}

// unwrapArray returns the only element of an array, and any other payload unchanged. Google
// sends some errors in such an array.
func unwrapArray(payload []byte) []byte {
	var only []byte
	count := 0
	for v := range jsonscan.Elements(payload) {
		only = v
		count++
	}
	if count != 1 {
		return payload
	}
	return only
}
