package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

var errStreamClosed = errors.New("stream closed")

const chunkObject = "chat.completion.chunk"

// streamStep is one event of a stream and the delay before it.
type streamStep struct {
	wait     time.Duration
	delta    messageJSON
	isFinish bool
	isUsage  bool
}

// eventStream returns the events of a response, each after its delay.
type eventStream struct {
	ctx      context.Context
	cancel   context.CancelCauseFunc
	response *response
	steps    []streamStep
	next     int
	// breakAt is the index of the step at which the stream breaks, or -1. If hang is set,
	// the stream stalls at this step instead.
	breakAt int
	hang    bool
}

func newEventStream(ctx context.Context, a *response, p pacing, f fault) *eventStream {
	ctx, cancel := context.WithCancelCause(ctx)
	e := &eventStream{ctx: ctx, cancel: cancel, response: a, steps: a.buildSteps(p), breakAt: -1, hang: f.Hang}
	if f.BreakAfter != nil {
		e.breakAt = e.stepAfterPieces(int(*f.BreakAfter))
	}
	return e
}

// stepAfterPieces returns the index of the step after k pieces. For 0 pieces it is the first
// step. The index never exceeds the step with the finish reason, so that a broken stream
// never sends this step.
func (e *eventStream) stepAfterPieces(k int) int {
	if k == 0 {
		return 0
	}
	return min(1+k, len(e.steps)-2)
}

func (a *response) buildSteps(p pacing) []streamStep {
	empty := ""
	first := messageJSON{Role: "assistant"}
	if len(a.calls) == 0 {
		first.Content = &empty
	}
	all := []streamStep{{wait: p.firstTokenDelay, delta: first}}
	for i := range a.pieces {
		all = append(all, streamStep{wait: p.chunkDelay, delta: messageJSON{Content: &a.pieces[i]}})
	}
	for i, c := range a.calls {
		head := toolCallJSON{Index: &i, ID: c.id, Type: "function"}
		head.Function.Name = c.name
		all = append(all, streamStep{wait: p.chunkDelay, delta: messageJSON{ToolCalls: []toolCallJSON{head}}})
		for _, piece := range splitText(c.arguments, 0) {
			part := toolCallJSON{Index: &i}
			part.Function.Arguments = piece
			all = append(all, streamStep{wait: p.chunkDelay, delta: messageJSON{ToolCalls: []toolCallJSON{part}}})
		}
	}
	return append(all, streamStep{isFinish: true}, streamStep{isUsage: true})
}

// Next returns the next event after its delay.
func (e *eventStream) Next() ([]byte, error) {
	i := e.next
	if i == len(e.steps) {
		return nil, io.EOF
	}
	if i == e.breakAt {
		return nil, e.breakError()
	}
	if err := sleep(e.ctx, e.steps[i].wait); err != nil {
		return nil, err
	}
	e.next++
	return e.encodeStep(e.steps[i])
}

func (e *eventStream) breakError() error {
	if !e.hang {
		return errConnectionBroken
	}
	<-e.ctx.Done()
	return provider.ContextError(e.ctx)
}

func (e *eventStream) encodeStep(s streamStep) ([]byte, error) {
	a := e.response
	chunk := a.newCompletion(chunkObject)
	switch {
	case s.isUsage:
		chunk.Usage = &a.usage
	case s.isFinish:
		chunk.Choices = []choiceJSON{{Delta: &messageJSON{}, Finish: &a.finish}}
	default:
		chunk.Choices = []choiceJSON{{Delta: &s.delta}}
	}
	b, err := json.Marshal(chunk)
	if err != nil {
		return nil, fmt.Errorf("encode sandbox chunk: %w", err)
	}
	return b, nil
}

// Close ends the stream. A call of Next that is waiting returns immediately.
func (e *eventStream) Close() error {
	e.cancel(errStreamClosed)
	return nil
}
