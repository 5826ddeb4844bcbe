package conversationtest

import (
	"context"
	"errors"
	"io"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/testkit/emulate"
	"github.com/signalbox/signalbox/services/proxy/internal/openai"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

// transcript holds the exchanges of a conversation.
type transcript []*exchange

// exchange is a request and everything that resulted from it.
type exchange struct {
	request     *openai.Request
	isEmbedding bool
	// cancels is set if the client cancels the request. onFirstContent is called when the
	// first content arrives. It may be nil.
	cancels        bool
	onFirstContent func()

	sent        []sent
	vendorCalls []emulate.Entry
	dropped     []string
	// frames is the stream as the client got it. response is the plain response, or the
	// response that was collected from the stream.
	frames, response []byte
	usage            *catalog.Usage
	usageDifference  int64
	// inputOnly is set if usage does not include the output.
	inputOnly bool
	err       error
}

// Every response contains these values.
const (
	responseID    = "id"
	responseModel = "m"
)

func (x *exchange) run(ctx context.Context, l *rig, p Endpoint) {
	call := provider.Call{Request: x.request, UpstreamModel: p.Model, Wire: p.Wire, MaxOutputTokens: p.MaxOutputTokens}
	var response *provider.Response
	switch {
	case !x.isEmbedding:
		response, x.err = l.chatCompleter.CompleteChat(ctx, call)
	case l.embedder == nil:
		x.err = apperr.New(apperr.ProviderModelUnavailable, "the provider does not serve this kind of request")
	default:
		response, x.err = l.embedder.Embed(ctx, call)
	}
	if x.err != nil {
		return
	}
	x.dropped = response.DroppedFields
	if response.Events != nil {
		x.readStream(response.Events)
		_ = response.Events.Close()
		return
	}
	x.readBody(response.Body)
}

func (x *exchange) options() openai.ResponseOptions {
	return openai.ResponseOptions{ID: responseID, Created: 1, Model: responseModel, Choices: x.request.Choices}
}

func (x *exchange) readBody(body []byte) {
	var a openai.Response
	if x.isEmbedding {
		a, x.err = openai.ParseEmbeddingsResponse(body, x.request, responseModel)
	} else {
		a, x.err = openai.ParseChatResponse(body, x.options())
	}
	x.response, x.usage, x.usageDifference, x.inputOnly = a.Body, a.Usage, a.UsageDiscrepancy, a.OutputUnknown
}

// readStream reads the events in the same way as package dispatch. It also collects them
// into one response, as a client does.
func (x *exchange) readStream(events provider.Events) {
	o := x.options()
	st := openai.NewStream(openai.StreamOptions{
		ID: o.ID, Created: o.Created, Model: o.Model, Choices: o.Choices, IncludeUsage: x.request.IncludeUsage,
	})
	gathered := openai.NewStreamCollector(o)
	for x.err == nil {
		payload, err := events.Next()
		if errors.Is(err, io.EOF) {
			st.MarkDone()
			gathered.MarkDone()
		}
		if errors.Is(err, io.EOF) || errors.Is(err, openai.ErrNoDone) {
			x.finishStream(st, gathered)
			return
		}
		if err == nil {
			err = gathered.AddEvent(payload)
		}
		if err == nil {
			x.frames, err = st.AppendEvent(x.frames, payload)
		}
		x.err = err
		if x.onFirstContent != nil && st.HasStarted() {
			x.onFirstContent()
			x.err = drain(events)
			return
		}
	}
}

// drain reads the events that are still in transit after the client has cancelled.
func drain(events provider.Events) (err error) {
	for err == nil {
		_, err = events.Next()
	}
	return err
}

func (x *exchange) finishStream(st *openai.Stream, gathered *openai.StreamCollector) {
	if x.frames, x.err = st.Finish(x.frames); x.err != nil {
		return
	}
	var a openai.Response
	a, x.err = gathered.Response()
	x.response, x.usage, x.usageDifference, x.inputOnly = a.Body, a.Usage, a.UsageDiscrepancy, a.OutputUnknown
}
