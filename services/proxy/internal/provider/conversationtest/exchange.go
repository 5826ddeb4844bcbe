package conversationtest

import (
	"context"
	"errors"
	"io"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/pkg/testkit/emulate"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/sse"
)

// transcript holds the exchanges of a conversation.
type transcript []*exchange

// exchange is a request and everything that resulted from it.
type exchange struct {
	request     *requestbody.Request
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

func (x *exchange) options() normalize.Options {
	return normalize.Options{ID: responseID, Created: 1, Model: responseModel, Choices: x.request.Choices}
}

func (x *exchange) readBody(body []byte) {
	var a normalize.Response
	if x.isEmbedding {
		a, x.err = normalize.Embeddings(body, x.request, responseModel)
	} else {
		a, x.err = normalize.Chat(body, x.options())
	}
	x.response, x.usage, x.usageDifference, x.inputOnly = a.Body, a.Usage, a.UsageDiscrepancy, a.OutputUnknown
}

// readStream reads the events in the same way as package dispatch. It also collects them
// into one response, as a client does.
func (x *exchange) readStream(events provider.Events) {
	o := x.options()
	st := normalize.NewStream(normalize.StreamOptions{
		ID: o.ID, Created: o.Created, Model: o.Model, Choices: o.Choices, IncludeUsage: x.request.IncludeUsage,
	})
	gathered := normalize.NewCollector(o)
	for x.err == nil {
		payload, err := events.Next()
		if errors.Is(err, io.EOF) {
			st.MarkDone()
			gathered.MarkDone()
		}
		if errors.Is(err, io.EOF) || errors.Is(err, sse.ErrNoDone) {
			x.finishStream(st, gathered)
			return
		}
		if err == nil {
			x.frames, err = st.AppendEvent(x.frames, payload)
		}
		if err == nil {
			err = gathered.AddEvent(payload)
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

func (x *exchange) finishStream(st *normalize.Stream, gathered *normalize.Collector) {
	if x.frames, x.err = st.Finish(x.frames); x.err != nil {
		return
	}
	var a normalize.Response
	a, x.err = gathered.Response()
	x.response, x.usage, x.usageDifference, x.inputOnly = a.Body, a.Usage, a.UsageDiscrepancy, a.OutputUnknown
}
