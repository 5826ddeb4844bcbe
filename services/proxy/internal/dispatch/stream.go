package dispatch

import (
	"errors"
	"io"
	"sync"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/sse"
)

const (
	// maxUncommitted limits the bytes that are held before the first content.
	maxUncommitted = 1 << 20
	// maxBatch is the number of bytes at which a batch of events is sent. Only events
	// that have already arrived are batched. The last event of a batch can exceed
	// maxBatch. The first batch also contains the bytes held before the first content.
	maxBatch = 16 << 10
	// maxPooledFrames is the largest buffer that the pool reuses, so that one
	// large response does not occupy memory for long.
	maxPooledFrames = 4 * maxBatch
)

var framePool = sync.Pool{New: func() any {
	frames := make([]byte, 0, maxBatch)
	return &frames
}}

func releaseFrames(frames []byte) {
	if cap(frames) <= maxPooledFrames {
		framePool.Put(&frames)
	}
}

// relayStream sends events to the client. It sends nothing before the first content,
// so that until then the next candidate can still be called.
func (a *attempt) relayStream(w *watchdog, st frameWriter, events provider.Events) error {
	defer func() {
		reported := st.ReportedValues()
		if a.result.Committed {
			a.recordUsage(reported, st.OutputTextBytes())
		} else {
			a.recordReported(reported)
		}
	}()
	frames, err := a.relayEvents(w, st, events)
	if err == nil {
		frames, err = st.Finish(frames)
	}
	switch {
	case err == nil:
		a.result.FinalFrames = frames
		if st.HasStarted() {
			a.commit()
		}
		return nil
	case st.HasStarted() && len(frames) > 0:
		// The client still gets the content that arrived before the failure.
		if sendErr := a.sendFrames(w, frames); sendErr != nil {
			err = sendErr
		}
	}
	releaseFrames(frames)
	return err
}

// relayEvents sends events to the client until they end or fail. It returns the
// frames that it has not sent yet.
func (a *attempt) relayEvents(w *watchdog, st frameWriter, events provider.Events) ([]byte, error) {
	frames := (*framePool.Get().(*[]byte))[:0] //nolint:forcetypeassert // the pool holds only *[]byte
	end := heldEnd{isRelayed: a.isRelayed}
	for isBuffered := false; ; {
		payload, err := nextEvent(w, st, events, isBuffered)
		if payload == nil || err != nil {
			return frames, err
		}
		if frames, err = end.appendEvent(st, frames, payload); err != nil {
			return frames, err
		}
		ready := len(frames) - end.size
		isBuffered = false
		switch {
		case ready == 0:
			continue
		case !st.HasStarted() && len(frames) > maxUncommitted:
			return frames[:0], apperr.New(apperr.ProviderInvalidResponse, "the provider sent too much data without any content")
		case !st.HasStarted():
			continue
		}
		if isBuffered = hasBufferedEvent(events); isBuffered && len(frames) < maxBatch {
			continue
		}
		if err := a.sendFrames(w, frames[:ready]); err != nil {
			return frames[:0], err
		}
		frames = append(frames[:0], frames[ready:]...)
	}
}

// responseState reports how much of a response has been read.
type responseState interface {
	IsFinished() bool
	HasCompleteUsage() bool
	MarkDone()
}

// nextEvent returns the next event, or nil at the end. An empty event is a heartbeat. Once every choice has finished,
// the upstream has only a short time to end the stream. A missing end is then no error. isBuffered
// means that the event had arrived before the last one was handled: it is no new progress.
func nextEvent(w *watchdog, state responseState, events provider.Events, isBuffered bool) ([]byte, error) {
	finished := state.IsFinished()
	if finished {
		w.shortenIdle(state.HasCompleteUsage())
	}
	payload, err := events.Next()
	switch {
	case err == nil && len(payload) == 0:
		// After the finish, heartbeats do not give the upstream more time.
		if !finished {
			w.recordHeartbeat()
		}
		return payload, nil
	case err == nil:
		if !isBuffered {
			w.recordProgress()
		}
		return payload, nil
	case errors.Is(err, io.EOF):
		state.MarkDone()
		return nil, nil
	case errors.Is(err, sse.ErrNoDone), finished && w.canIgnoreReadError():
		return nil, nil
	}
	return nil, err
}

// collectEvents reads a whole stream and builds one complete response from its events.
func (a *attempt) collectEvents(w *watchdog, events provider.Events) (normalize.Response, error) {
	collector := normalize.NewCollector(a.responseOptions())
	for {
		payload, err := nextEvent(w, collector, events, false)
		if err != nil {
			return collector.ReportedValues(), err
		}
		if payload == nil {
			return collector.Response()
		}
		if err := collector.AddEvent(payload); err != nil {
			return collector.ReportedValues(), err
		}
	}
}

// hasBufferedEvent reports whether the next event has already arrived.
func hasBufferedEvent(events provider.Events) bool {
	r, ok := events.(interface{ Ready() bool })
	return ok && r.Ready()
}

// commit makes this candidate the one that serves the request. Later calls do
// nothing.
func (a *attempt) commit() {
	if a.result.Committed {
		return
	}
	a.result.Committed = true
	a.result.Served, a.result.Dropped = a.candidate, a.record.Dropped
	a.result.FirstToken = time.Since(a.job.StartedAt)
	a.record.FirstToken = a.result.FirstToken
	a.result.Errors = a.errors
	a.sink.Commit(a.candidate, a.record.Dropped)
}

// sendFrames sends frames to the client. The time that the client takes does not
// count as idle time of the upstream.
func (a *attempt) sendFrames(w *watchdog, frames []byte) error {
	a.commit()
	w.pauseIdle()
	if err := a.sink.Send(frames); err != nil {
		return apperr.New(apperr.ClientCancelled, "the client closed the connection").WithCause(err)
	}
	w.recordProgress()
	return nil
}
