package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
)

// messagesStream translates a chat stream into events of the Messages protocol. It counts
// chunks, because the errors of some protocols depend on the events before.
type messagesStream struct {
	options inbound.Options
	started bool
	chunks  int
}

func (s *messagesStream) AppendChunk(dst, chunk []byte) ([]byte, error) {
	var c struct {
		Choices []struct {
			Delta struct {
				Content json.RawMessage // it is not decoded, because some tests send many megabytes
			}
		}
		Usage *struct {
			Prompt     int64 `json:"prompt_tokens"`
			Completion int64 `json:"completion_tokens"`
		}
	}
	if err := json.Unmarshal(chunk, &c); err != nil {
		return dst, err
	}
	if s.chunks++; !s.started {
		s.started = true
		dst = event(dst, "message_start", fmt.Appendf(nil, `{"type":"message_start","message":{"id":"msg_%s","model":%q}}`, s.options.ID, s.options.Model))
	}
	for _, choice := range c.Choices {
		if text := choice.Delta.Content; len(text) > 0 && string(text) != `""` && string(text) != "null" {
			dst = event(dst, "content_block_delta", fmt.Appendf(nil, `{"type":"content_block_delta","delta":{"type":"text_delta","text":%s}}`, text))
		}
	}
	if c.Usage != nil {
		dst = event(dst, "message_delta", fmt.Appendf(nil, `{"type":"message_delta","usage":{"output_tokens":%d}}`, c.Usage.Completion))
	}
	return dst, nil
}

func (s *messagesStream) AppendEnd(dst []byte) []byte {
	return event(dst, "message_stop", []byte(`{"type":"message_stop"}`))
}

func (s *messagesStream) AppendError(dst []byte, e *apperr.Error, o apperr.Options) []byte {
	return event(fmt.Appendf(dst, ": error after %d\n", s.chunks), "error", e.Body(o))
}

// messagesRelay forwards a stream of the Messages protocol.
type messagesRelay struct {
	options           inbound.Options
	started, finished bool
	usage             *catalog.Usage
	textBytes, events int
}

func (r *messagesRelay) AppendEvent(dst, payload []byte) ([]byte, error) {
	var e struct {
		Type    string
		Message struct{ Usage messageUsage }
		Usage   messageUsage
		Delta   struct{ Text string }
	}
	if err := json.Unmarshal(payload, &e); err != nil {
		return dst, apperr.New(apperr.ProviderInvalidResponse, "not an event").WithCause(err)
	}
	r.events++
	switch e.Type {
	case "error":
		return dst, apperr.New(apperr.ProviderOverloaded, "the provider is overloaded")
	case "message_start":
		r.usage = &catalog.Usage{Input: e.Message.Usage.Input}
	case "content_block_delta":
		r.started, r.textBytes = true, r.textBytes+len(e.Delta.Text)
	case "message_delta":
		r.usage.Output = e.Usage.Output
	case "message_stop":
		r.finished = true
	}
	return event(dst, e.Type, replaceModel(payload, r.options)), nil
}

func (r *messagesRelay) Finish(dst []byte) ([]byte, error) {
	if !r.finished {
		return dst, apperr.New(apperr.ProviderInterrupted, "the provider's stream ended before the response was complete")
	}
	return dst, nil
}

func (r *messagesRelay) AppendError(dst []byte, e *apperr.Error, o apperr.Options) []byte {
	return event(fmt.Appendf(dst, ": error after %d\n", r.events), "error", e.Body(o))
}

func (r *messagesRelay) HasStarted() bool       { return r.started }
func (r *messagesRelay) IsFinished() bool       { return r.finished }
func (r *messagesRelay) HasCompleteUsage() bool { return r.usage != nil && r.usage.Output > 0 }
func (r *messagesRelay) MarkDone()              {}
func (r *messagesRelay) OutputTextBytes() int   { return r.textBytes }
func (r *messagesRelay) ReportedValues() normalize.Response {
	return normalize.Response{Usage: r.usage}
}

// eventRelay is a protocol that only relays. A stream is complete after an event that contains
// end.
type eventRelay struct {
	smallMessages
	end string
}

func (p eventRelay) NewRelay(o inbound.Options) inbound.Relay {
	return &anyRelay{messagesRelay{options: o}, p.end}
}

func (eventRelay) RelayBody(body []byte, _ inbound.Options) (normalize.Response, error) {
	return normalize.Response{Body: body}, nil
}

func (eventRelay) ToChat(*requestbody.Request) (*inbound.Translation, error) {
	return nil, apperr.New(apperr.UnsupportedParameter, "this protocol is not translated")
}

type anyRelay struct {
	messagesRelay
	end string
}

func (r *anyRelay) AppendEvent(dst, payload []byte) ([]byte, error) {
	r.started, r.finished = true, bytes.Contains(payload, []byte(r.end))
	return fmt.Appendf(dst, "data: %s\n\n", payload), nil
}
