package anthropic

import (
	"io"

	"github.com/signalbox/signalbox/services/proxy/internal/provider/upstream"
)

// eventStream translates the upstream's events into chunks of the OpenAI format.
type eventStream struct {
	*upstream.Events
	translator streamTranslator
	done       bool
}

func newEventStream(from *upstream.Events, n *toolNames) *eventStream {
	return &eventStream{Events: from, translator: streamTranslator{names: n}}
}

// Next returns the next chunk. For an event without a chunk, such as a ping, it returns an
// empty one, because the event shows that the upstream is alive. It returns io.EOF after
// message_stop. If the stream ends without message_stop, it returns sse.ErrNoDone, and
// the caller decides whether the response is complete.
func (e *eventStream) Next() ([]byte, error) {
	if e.done {
		return nil, io.EOF
	}
	data, err := e.Events.Next()
	if err != nil || len(data) == 0 {
		return data, err
	}
	chunk, err := e.translator.translateEvent(e.Name(), data)
	switch {
	case err != nil || len(chunk) > 0:
		return chunk, err
	case e.translator.isComplete:
		e.done = true
		e.Finish()
		return nil, io.EOF
	}
	return noChunk, nil
}

// noChunk is the chunk of an event without a chunk. It is not nil.
var noChunk = []byte{}
