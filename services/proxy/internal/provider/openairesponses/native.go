package openairesponses

import (
	"context"
	"io"

	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/upstream"
)

var _ provider.NativeCaller = (*Provider)(nil)

// CallNative sends a request of the Responses protocol as openaicompat.Provider does. It adds
// the translation of the stream for the transcript.
func (p *Provider) CallNative(ctx context.Context, call provider.Call) (*provider.Response, error) {
	response, err := p.Provider.CallNative(ctx, call)
	if err != nil {
		return nil, err
	}
	if events, ok := response.Events.(*upstream.Events); ok {
		native := &nativeEvents{Events: events}
		response.Events, response.TranslateEvent = native, native.translate
	}
	return response, nil
}

// nativeEvents returns the upstream's events unchanged.
type nativeEvents struct {
	*upstream.Events
	translator streamTranslator
	done       bool
}

// Next returns the next event. It returns io.EOF after the last event of a response, like
// eventStream.Next.
func (e *nativeEvents) Next() ([]byte, error) {
	if e.done {
		e.Finish()
		return nil, io.EOF
	}
	data, err := e.Events.Next()
	e.done = err == nil && len(data) > 0 && isEnd(e.Name(), data)
	return data, err
}

func (e *nativeEvents) translate(data []byte) ([]byte, error) {
	return e.translator.translateEvent(e.Name(), data)
}
