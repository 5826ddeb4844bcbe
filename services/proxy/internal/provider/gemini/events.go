package gemini

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/sse"
)

// eventStream translates Google's events into chunks. Google sends no [DONE]. A stream is
// complete if every choice has a finish reason.
type eventStream struct {
	provider.Events
	translator responseTranslator
}

func newEventStream(source provider.Events) *eventStream {
	return &eventStream{Events: source, translator: responseTranslator{messageKey: deltaMember}}
}

// Next returns the next chunk, or an empty one for a heartbeat. It returns sse.ErrNoDone if the stream ends before
// the response is complete.
func (e *eventStream) Next() ([]byte, error) {
	payload, err := e.Events.Next()
	switch {
	case err == nil && len(payload) == 0:
		return payload, nil
	case err == nil:
		return e.translator.translate(unwrapSingle(payload)), nil
	case !errors.Is(err, sse.ErrNoDone) && !errors.Is(err, io.EOF):
		return nil, err
	case !e.translator.isComplete():
		return nil, sse.ErrNoDone
	}
	return nil, io.EOF
}

// Ready reports whether the next event has already arrived.
func (e *eventStream) Ready() bool {
	s, ok := e.Events.(interface{ Ready() bool })
	return ok && s.Ready()
}

// unwrapSingle returns the element of an array with one element, and any other payload
// unchanged. Google sends errors in such arrays.
func unwrapSingle(payload []byte) []byte {
	if !isArray(payload) {
		return payload
	}
	if all := slices.Collect(jsonscan.Elements(payload)); len(all) == 1 {
		return all[0]
	}
	return payload
}

func isArray(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	return len(text) > 0 && text[0] == '['
}

// arrayEvents holds the events of a stream that arrived as one JSON array. Google sends
// such arrays if the request lacks alt=sse.
type arrayEvents struct{ rest []jsontext.Value }

func newArrayEvents(body []byte) *arrayEvents {
	if !jsonscan.Valid(body) {
		// Package normalize reports why the body is invalid.
		return &arrayEvents{rest: []jsontext.Value{body}}
	}
	return &arrayEvents{rest: slices.Collect(jsonscan.Elements(body))}
}

func (l *arrayEvents) Next() ([]byte, error) {
	if len(l.rest) == 0 {
		return nil, io.EOF
	}
	v := l.rest[0]
	l.rest = l.rest[1:]
	return v, nil
}

func (l *arrayEvents) Close() error { return nil }
