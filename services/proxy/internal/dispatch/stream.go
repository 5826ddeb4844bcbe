package dispatch

import (
	"errors"
	"io"
	"sync"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/openai"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

const (
	// maxHeld bounds what is held back before the first content.
	maxHeld = 1 << 20
	// maxTogether is how much is sent with one write of events that arrived
	// together. No event waits for one that has not come.
	maxTogether = 16 << 10
	// keptFrames is the most memory that is used again: one giant would stay
	// for long.
	keptFrames = 4 * maxTogether
)

var framePool = sync.Pool{New: func() any {
	frames := make([]byte, 0, maxTogether)
	return &frames
}}

func freeFrames(frames []byte) {
	if cap(frames) <= keptFrames {
		framePool.Put(&frames)
	}
}

// stream passes events on. Until the first content nothing reaches the client,
// so that the next target can still be tried.
func (a *attempt) stream(w *watch, events provider.Events) error {
	o := a.options()
	st := openai.NewStream(openai.StreamOptions{
		ID: o.ID, Created: o.Created, Model: o.Model, IncludeUsage: a.job.Request.IncludeUsage,
		InputTokens: o.InputTokens, Output: o.Output, Choices: o.Choices, Transcript: a.job.Transcript,
	})
	defer func() {
		reported := st.Reported()
		if a.result.Committed {
			a.used(reported, st.OutputText())
		} else {
			a.reported(reported)
		}
	}()
	frames, err := a.relay(w, st, events)
	if err == nil {
		frames, err = st.Finish(frames)
	}
	switch {
	case err == nil:
		a.result.Last = frames
		if st.Started() {
			a.commit()
		}
		return nil
	case st.Started() && len(frames) > 0:
		// What came before the fault is the client's.
		if gone := a.send(w, frames); gone != nil {
			err = gone
		}
	}
	freeFrames(frames)
	return err
}

// relay sends events on until they end or fail, and returns the frames that
// are still to be sent: those of events that came together with the end.
func (a *attempt) relay(w *watch, st *openai.Stream, events provider.Events) ([]byte, error) {
	frames := (*framePool.Get().(*[]byte))[:0] //nolint:forcetypeassert // nothing else is stored
	for {
		payload, err := next(w, st, events)
		if payload == nil || err != nil {
			return frames, err
		}
		if frames, err = st.Event(frames, payload); err != nil {
			return frames, err
		}
		switch {
		case !st.Started() && len(frames) > maxHeld:
			return frames[:0], apperr.New(apperr.ProviderInvalidResponse, "the provider sends much and says nothing")
		case !st.Started(), len(frames) < maxTogether && ready(events):
			continue
		}
		if err := a.send(w, frames); err != nil {
			return frames[:0], err
		}
		frames = frames[:0]
	}
}

// answer is what has been read of one.
type answer interface {
	Finished() bool
	Counted() bool
	Done()
}

// next returns the next event, or nil at the end. An answer that is there needs
// no proper end: its upstream is given a little time for the rest.
func next(w *watch, so answer, events provider.Events) ([]byte, error) {
	finished := so.Finished()
	if finished {
		w.hurry(so.Counted())
	}
	payload, err := events.Next()
	switch {
	case err == nil:
		w.progress()
		return payload, nil
	case errors.Is(err, io.EOF):
		so.Done()
		return nil, nil
	case errors.Is(err, openai.ErrNoDone), finished && w.bears():
		return nil, nil
	}
	return nil, err
}

// collect makes a plain answer of events.
func (a *attempt) collect(w *watch, events provider.Events) (openai.Answer, error) {
	all := openai.NewCollection(a.options())
	for {
		payload, err := next(w, all, events)
		if err != nil {
			return all.Reported(), err
		}
		if payload == nil {
			return all.Answer()
		}
		if err := all.Add(payload); err != nil {
			return all.Reported(), err
		}
	}
}

// ready reports whether the next event is already here.
func ready(events provider.Events) bool {
	r, ok := events.(interface{ Ready() bool })
	return ok && r.Ready()
}

// commit gives the answer to this target for good.
func (a *attempt) commit() {
	if a.result.Committed {
		return
	}
	a.result.Committed = true
	a.result.Served, a.result.Dropped = a.target, a.note.Dropped
	a.result.FirstToken = time.Since(a.job.Began)
	a.note.FirstToken = a.result.FirstToken
	a.sink.Commit(a.target, a.note.Dropped)
}

// send waits for the client, which is no pause of the upstream's.
func (a *attempt) send(w *watch, frames []byte) error {
	a.commit()
	w.hold()
	if err := a.sink.Send(frames); err != nil {
		return apperr.New(apperr.ClientCancelled, "the client closed the connection").Because(err)
	}
	w.progress()
	return nil
}
