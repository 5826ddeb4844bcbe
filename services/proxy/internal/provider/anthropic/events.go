package anthropic

import (
	"io"

	"github.com/signalbox/signalbox/services/proxy/internal/provider/upstream"
)

// events gives the upstream's stream as chunks of our clients' format.
type events struct {
	*upstream.Events
	stream stream
	ended  bool
}

func newEvents(from *upstream.Events, n *names) *events {
	return &events{Events: from, stream: stream{names: n}}
}

// Next returns the chunk of the next event that has one. The end is io.EOF
// after message_stop; a stream that stops without it is openai.ErrNoDone, since
// the caller knows whether all was said.
func (e *events) Next() ([]byte, error) {
	for !e.ended {
		data, err := e.Events.Next()
		if err != nil {
			return nil, err
		}
		chunk, err := e.stream.event(e.Name(), data)
		if err != nil || len(chunk) > 0 {
			return chunk, err
		}
		if e.stream.over {
			e.ended = true
			e.Finish()
		}
	}
	return nil, io.EOF
}
