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

// Next returns the next chunk. It skips events without a chunk. It returns io.EOF after
// message_stop. If the stream ends without message_stop, it returns sse.ErrNoDone, and
// the caller decides whether the response is complete.
func (e *eventStream) Next() ([]byte, error) {
	for !e.done {
		data, err := e.Events.Next()
		if err != nil {
			return nil, err
		}
		chunk, err := e.translator.translateEvent(e.Name(), data)
		if err != nil || len(chunk) > 0 {
			return chunk, err
		}
		if e.translator.isComplete {
			e.done = true
			e.Finish()
		}
	}
	return nil, io.EOF
}
