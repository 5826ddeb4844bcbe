package responses

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/upstreamerror"
)

// relayEvent holds the members of an event that a relay needs, as raw JSON.
type relayEvent struct {
	kind, delta, item, response, sequence, failure jsontext.Value
	responseValues
}

// parseEvent reads the event and, inside it, the values that the relay replaces.
func (r *relay) parseEvent(payload []byte) (event relayEvent, err error) {
	s := &r.reader
	event.values = r.values
	s.Reset(payload, true)
	if !s.Enter(jsonscan.BeginObject) {
		return event, upstreamerror.InvalidResponse("not a JSON object")
	}
	for s.NextMember() {
		switch string(s.Name()) {
		case "type":
			event.kind = s.Value()
		case "delta":
			event.delta = s.Value()
		case "item":
			event.item = s.Value()
		case "sequence_number":
			event.sequence = s.Value()
		case "error":
			event.failure = s.Value()
		case "response_id":
			event.add(ownID, s)
		case "response":
			event.readResponse(s)
		default:
			s.Value()
		}
	}
	if err := s.CheckEnd(); err != nil {
		return event, upstreamerror.InvalidResponse("an event is not valid JSON").WithCause(err)
	}
	return event, nil
}

// readResponse reads the response in an event.
func (e *relayEvent) readResponse(s *jsonscan.Reader) {
	if !s.Enter(jsonscan.BeginObject) {
		s.Value()
		return
	}
	start := s.Offset() - 1
	for s.NextMember() {
		e.readMember(s)
	}
	e.response = s.Source()[start:s.Offset()]
}

// isContent reports whether an event contains output. Before that, another upstream can still
// take over.
func isContent(kind string) bool {
	switch kind {
	case "response.created", "response.in_progress", "response.queued", "response.output_item.added",
		"response.content_part.added", "response.reasoning_summary_part.added":
		return false
	}
	return strings.HasPrefix(kind, "response.")
}

// joinLines replaces line breaks with blanks, because an event must be one line. In valid
// JSON, line breaks occur only as white space.
func joinLines(payload []byte) []byte {
	if bytes.IndexByte(payload, '\n') < 0 && bytes.IndexByte(payload, '\r') < 0 {
		return payload
	}
	joined := bytes.ReplaceAll(payload, []byte{'\n'}, []byte{' '})
	return bytes.ReplaceAll(joined, []byte{'\r'}, []byte{' '})
}
