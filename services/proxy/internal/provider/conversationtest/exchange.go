package conversationtest

import (
	"context"
	"errors"
	"io"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/emulate"
	"github.com/signalbox/signalbox/services/proxy/internal/openai"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

// talk is a conversation as it went.
type talk []*exchange

// exchange is a request and all that came of it.
type exchange struct {
	request *openai.Request
	embeds  bool
	// leaves is set if the client goes away, and begun, if set, is called at
	// the first content.
	leaves bool
	begun  func()

	sent    []sent
	book    []emulate.Entry
	dropped []string
	// frames are the client's stream, and answer is what it adds up to, or
	// what came instead of one.
	frames, answer []byte
	usage          *catalog.Usage
	difference     int64
	// inputOnly is set if usage tells nothing of the output.
	inputOnly bool
	err       error
}

// What every answer says of itself.
const (
	answerID    = "id"
	answerModel = "m"
)

func (x *exchange) run(ctx context.Context, l *line, p Place) {
	call := provider.Call{Request: x.request, Upstream: p.Model, Wire: p.Wire, MaxOutput: p.MaxOutput}
	var reply *provider.Reply
	switch {
	case !x.embeds:
		reply, x.err = l.chatter.Chat(ctx, call)
	case l.embedder == nil:
		x.err = apperr.New(apperr.ProviderModelUnavailable, "the provider does not serve this kind of request")
	default:
		reply, x.err = l.embedder.Embed(ctx, call)
	}
	if x.err != nil {
		return
	}
	x.dropped = reply.Dropped
	if reply.Events != nil {
		x.stream(reply.Events)
		_ = reply.Events.Close()
		return
	}
	x.whole(reply.Body)
}

func (x *exchange) options() openai.AnswerOptions {
	return openai.AnswerOptions{ID: answerID, Created: 1, Model: answerModel, Choices: x.request.Choices}
}

func (x *exchange) whole(body []byte) {
	var a openai.Answer
	if x.embeds {
		a, x.err = openai.EmbeddingsAnswer(body, x.request, answerModel)
	} else {
		a, x.err = openai.ChatAnswer(body, x.options())
	}
	x.answer, x.usage, x.difference, x.inputOnly = a.Body, a.Usage, a.UsageDifference, a.OutputUnknown
}

// stream reads events as dispatch does, and beside it as a client that gathers
// them.
func (x *exchange) stream(events provider.Events) {
	o := x.options()
	st := openai.NewStream(openai.StreamOptions{
		ID: o.ID, Created: o.Created, Model: o.Model, Choices: o.Choices, IncludeUsage: x.request.IncludeUsage,
	})
	gathered := openai.NewCollection(o)
	for x.err == nil {
		payload, err := events.Next()
		if errors.Is(err, io.EOF) {
			st.Done()
			gathered.Done()
		}
		if errors.Is(err, io.EOF) || errors.Is(err, openai.ErrNoDone) {
			x.end(st, gathered)
			return
		}
		if err == nil {
			err = gathered.Add(payload)
		}
		if err == nil {
			x.frames, err = st.Event(x.frames, payload)
		}
		x.err = err
		if x.begun != nil && st.Started() {
			x.begun()
			x.err = drain(events)
			return
		}
	}
}

// drain reads what may still be on its way to somebody who has left.
func drain(events provider.Events) (err error) {
	for err == nil {
		_, err = events.Next()
	}
	return err
}

func (x *exchange) end(st *openai.Stream, gathered *openai.Collection) {
	if x.frames, x.err = st.Finish(x.frames); x.err != nil {
		return
	}
	var a openai.Answer
	a, x.err = gathered.Answer()
	x.answer, x.usage, x.difference, x.inputOnly = a.Body, a.Usage, a.UsageDifference, a.OutputUnknown
}
