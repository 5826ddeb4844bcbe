package openairesponses

import (
	"io"

	"github.com/signalbox/signalbox/services/proxy/internal/provider/upstream"
)

// eventStream translates the upstream's events into chunks of the OpenAI format.
type eventStream struct {
	*upstream.Events
	translator streamTranslator
}

// Next returns the next chunk. For an event without a chunk it returns an empty one, because
// the event shows that the upstream is alive. It returns io.EOF after the event that completes
// the response. If the stream ends without such an event, it returns sse.ErrNoDone, and the
// caller decides whether the response is complete.
func (e *eventStream) Next() ([]byte, error) {
	if e.translator.isComplete {
		e.Finish()
		return nil, io.EOF
	}
	data, err := e.Events.Next()
	if err != nil || len(data) == 0 {
		return data, err
	}
	chunk, err := e.translator.translateEvent(e.Name(), data)
	if err != nil || len(chunk) > 0 {
		return chunk, err
	}
	return noChunk, nil
}

// noChunk is the chunk of an event without a chunk. It is not nil.
var noChunk = []byte{}
