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

var errClosed = errors.New("the stream was closed")

const chunkObject = "chat.completion.chunk"

// step is one event of a stream and the silence before it.
type step struct {
	wait  time.Duration
	delta speech
	last  bool
	usage bool
}

// events plays an answer at its pace.
type events struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	answer *answer
	steps  []step
	next   int
	// breakAt is the step that never comes; -1 for none.
	breakAt int
	hang    bool
}

func newEvents(ctx context.Context, a *answer, p pace, f fault) *events {
	ctx, cancel := context.WithCancelCause(ctx)
	e := &events{ctx: ctx, cancel: cancel, answer: a, steps: a.steps(p), breakAt: -1, hang: f.Hang}
	if f.BreakAfter != nil {
		e.breakAt = e.stepAfter(int(*f.BreakAfter))
	}
	return e
}

// stepAfter is the step behind k pieces: none but the first comes before any
// piece, and the end of the answer always stays behind.
func (e *events) stepAfter(k int) int {
	if k == 0 {
		return 0
	}
	return min(1+k, len(e.steps)-2)
}

// steps are the role, the pieces, the finish and the usage.
func (a *answer) steps(p pace) []step {
	empty := ""
	first := speech{Role: "assistant"}
	if len(a.calls) == 0 {
		first.Content = &empty
	}
	all := []step{{wait: p.first, delta: first}}
	for i := range a.pieces {
		all = append(all, step{wait: p.gap, delta: speech{Content: &a.pieces[i]}})
	}
	for i, c := range a.calls {
		head := callOut{Index: &i, ID: c.id, Type: "function"}
		head.Function.Name = c.name
		all = append(all, step{wait: p.gap, delta: speech{Calls: []callOut{head}}})
		for _, piece := range split(c.arguments, 0) {
			part := callOut{Index: &i}
			part.Function.Arguments = piece
			all = append(all, step{wait: p.gap, delta: speech{Calls: []callOut{part}}})
		}
	}
	return append(all, step{last: true}, step{usage: true})
}

// Next waits for the next event as long as the pace says.
func (e *events) Next() ([]byte, error) {
	i := e.next
	if i == len(e.steps) {
		return nil, io.EOF
	}
	if i == e.breakAt {
		return nil, e.broken()
	}
	if err := wait(e.ctx, e.steps[i].wait); err != nil {
		return nil, err
	}
	e.next++
	return e.payload(e.steps[i])
}

func (e *events) broken() error {
	if !e.hang {
		return errBroken
	}
	<-e.ctx.Done()
	return provider.Ended(e.ctx)
}

func (e *events) payload(s step) ([]byte, error) {
	a := e.answer
	out := a.envelope(chunkObject)
	switch {
	case s.usage:
		out.Usage = &a.usage
	case s.last:
		out.Choices = []choiceOut{{Delta: &speech{}, Finish: &a.finish}}
	default:
		out.Choices = []choiceOut{{Delta: &s.delta}}
	}
	b, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("encode a chunk of the sandbox: %w", err)
	}
	return b, nil
}

// Close ends the stream; a Next that waits returns at once.
func (e *events) Close() error {
	e.cancel(errClosed)
	return nil
}
