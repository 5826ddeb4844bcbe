package sessionkeeper

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/signalbox/signalbox/services/proxy/internal/session"
)

const (
	// maxBatch is the maximum number of changes of one write to a Shared store, which does
	// nothing else meanwhile. A File gets all changes that wait, because it is written only
	// every fileInterval.
	maxBatch = 64
	// saveTimeout limits one write, and all writes of a shutdown. It is long enough for a busy
	// disk. The client of Redis has a shorter timeout of its own.
	saveTimeout = 5 * time.Second
	// fileInterval is the pause between two writes to a File. A crash loses at most the
	// changes of this time.
	fileInterval = 100 * time.Millisecond
	// minRetryPause and maxRetryPause are the pauses between two attempts to write a batch.
	minRetryPause, maxRetryPause = 50 * time.Millisecond, 2 * time.Second
	// retryLimit is how long a batch is retried. It is much shorter than BatchLifetime.
	retryLimit = 10 * time.Minute
	// BatchLifetime is how long a Shared store must remember the number of the last batch of
	// a writer.
	BatchLifetime = time.Hour
)

// writer writes the changes of the queue. Only one goroutine uses it.
type writer struct {
	*Keeper
	// batch is what is being written. It has no changes if nothing is.
	batch Batch
}

// Run writes changes to the store until ctx ends. Then it writes the changes that still wait,
// and returns.
func (k *Keeper) Run(ctx context.Context) {
	w := &writer{Keeper: k, batch: Batch{Writer: rand.Text()}}
	for ctx.Err() == nil {
		select {
		case <-k.queue.ready:
		case <-ctx.Done():
		}
		for ctx.Err() == nil && w.nextBatch() {
			w.write(ctx)
			if k.deps.File != nil {
				pause(ctx, fileInterval)
			}
		}
	}
	w.flush(context.WithoutCancel(ctx))
}

// nextBatch takes the next changes from the queue, unless some are still being written. It
// returns false if there are none.
func (w *writer) nextBatch() bool {
	if len(w.batch.Changes) > 0 {
		return true
	}
	limit := maxBatch
	if w.deps.File != nil {
		limit = maxQueue
	}
	w.batch.Changes = w.queue.take(limit)
	w.batch.Number++
	return len(w.batch.Changes) > 0
}

// write writes the batch. If the store fails, it tries again until ctx ends or retryLimit has
// passed. The requests that follow wait in the queue.
func (w *writer) write(ctx context.Context) {
	wait := minRetryPause
	for began := time.Now(); !w.tryWrite(context.WithoutCancel(ctx)); wait = min(2*wait, maxRetryPause) {
		if time.Since(began) >= retryLimit {
			w.drop(len(w.batch.Changes))
			return
		}
		if pause(ctx, wait); ctx.Err() != nil {
			return
		}
		w.stats.retriedWrites.Add(1)
	}
}

// tryWrite writes the batch once. After a success the batch has no changes.
func (w *writer) tryWrite(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, saveTimeout)
	defer cancel()
	var err error
	rejected := 0
	now, ahead := w.clock.now()
	if w.deps.Shared != nil {
		w.batch.Now = now
		rejected, err = w.deps.Shared.Save(ctx, w.batch)
	} else {
		err = w.deps.File.Save(ctx, encodeStates(w.batch.Changes, ahead))
	}
	if err != nil {
		w.deps.Log.Debug("sessions: cannot write the states of sessions", "error", err)
		return false
	}
	w.batch.Changes = nil
	w.drop(rejected)
	return true
}

// drop gives up the changes of n sessions.
func (w *writer) drop(n int) {
	if n == 0 {
		return
	}
	w.batch.Changes = nil
	w.stats.droppedWrites.Add(int64(n))
	w.deps.Log.Warn("sessions: the store did not take the changes of some sessions; their totals are too low", "sessions", n)
}

// flush writes what waits. It gives up at the first error, because a shutdown does not wait.
func (w *writer) flush(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, saveTimeout)
	defer cancel()
	for w.nextBatch() {
		if !w.tryWrite(ctx) {
			w.drop(len(w.batch.Changes) + len(w.queue.take(maxQueue)))
			return
		}
	}
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// encodeStates encodes the states of changes for a File. ahead is how far their times are ahead
// of the wall clock, by which the next process reads them.
func encodeStates(changes []Change, ahead time.Duration) []Saved {
	saved := make([]Saved, 0, len(changes))
	for i := range changes {
		c := &changes[i]
		s := inWallTime(c.State, ahead)
		saved = append(saved, Saved{Key: c.Key[:], State: s.Totals.AppendBinary(s.AppendBinary(nil)), Expires: s.Expires})
	}
	return saved
}

// inWallTime returns a state with the times of the wall clock.
func inWallTime(s *session.State, ahead time.Duration) *session.State {
	if s == nil || ahead == 0 {
		return s
	}
	return s.Shifted(-ahead)
}
