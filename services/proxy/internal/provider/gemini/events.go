package gemini

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/openai"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

// events are Google's in our clients' form. Google says no [DONE]: a stream
// whose every candidate has a reason to end has ended properly.
type events struct {
	provider.Events
	translator translator
}

func newEvents(source provider.Events) *events {
	return &events{Events: source, translator: translator{place: inStream}}
}

// Next returns openai.ErrNoDone for a stream that ended before the answer did.
func (e *events) Next() ([]byte, error) {
	payload, err := e.Events.Next()
	switch {
	case err == nil:
		return e.translator.translate(lone(payload)), nil
	case !errors.Is(err, openai.ErrNoDone) && !errors.Is(err, io.EOF):
		return nil, err
	case !e.translator.complete():
		return nil, openai.ErrNoDone
	}
	return nil, io.EOF
}

// Ready reports whether the next event is already here.
func (e *events) Ready() bool {
	s, ok := e.Events.(interface{ Ready() bool })
	return ok && s.Ready()
}

// lone takes an event, an error mostly, out of a list that it is alone in.
func lone(payload []byte) []byte {
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

// listed are the events of a stream that came as one JSON array, as Google
// sends it to those who do not ask for events.
type listed struct{ rest []jsontext.Value }

func newListed(body []byte) *listed {
	if !jsonscan.Valid(body) {
		// Whoever reads the result says what is wrong with it.
		return &listed{rest: []jsontext.Value{body}}
	}
	return &listed{rest: slices.Collect(jsonscan.Elements(body))}
}

func (l *listed) Next() ([]byte, error) {
	if len(l.rest) == 0 {
		return nil, io.EOF
	}
	v := l.rest[0]
	l.rest = l.rest[1:]
	return v, nil
}

func (l *listed) Close() error { return nil }
