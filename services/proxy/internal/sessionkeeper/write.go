package sessionkeeper

import (
	"context"
	"time"

	"github.com/signalbox/signalbox/services/proxy/internal/session"
)

const (
	// maxBatch is the maximum number of changes of one write to a Shared store. A File gets
	// all changes that wait, because it is written only every fileInterval.
	maxBatch = 256
	// saveTimeout limits one write, and all writes of a shutdown. It is long enough for a busy
	// disk. The client of Redis has a shorter timeout of its own.
	saveTimeout = 5 * time.Second
	// fileInterval is the pause between two writes to a File. A crash loses at most the
	// changes of this time.
	fileInterval = 100 * time.Millisecond
)

// Run writes changes to the store until ctx ends. Then it writes the changes that still wait,
// and returns.
func (k *Keeper) Run(ctx context.Context) {
	for {
		select {
		case c := <-k.queue:
			k.save(context.WithoutCancel(ctx), k.collectBatch(c))
		case <-ctx.Done():
			k.flush(context.WithoutCancel(ctx))
			return
		}
		if k.deps.File != nil {
			pause(ctx, fileInterval)
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

// flush writes what waits in the queue. It gives up at the first error.
func (k *Keeper) flush(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, saveTimeout)
	defer cancel()
	for {
		select {
		case c := <-k.queue:
			if !k.save(ctx, k.collectBatch(c)) {
				k.stats.droppedWrites.Add(int64(len(k.queue)))
				return
			}
		default:
			return
		}
	}
}

func (k *Keeper) collectBatch(first Change) []Change {
	batch, limit := []Change{first}, maxBatch
	if k.deps.File != nil {
		limit = maxQueue
	}
	for len(batch) < limit {
		select {
		case c := <-k.queue:
			batch = append(batch, c)
		default:
			return batch
		}
	}
	return batch
}

// save writes a batch. A failed batch is not repeated, because it may have taken effect. The
// next request of a session writes its complete state again.
func (k *Keeper) save(ctx context.Context, batch []Change) bool {
	ctx, cancel := context.WithTimeout(ctx, saveTimeout)
	defer cancel()
	var err error
	if k.deps.Shared != nil {
		err = k.deps.Shared.Save(ctx, batch)
	} else {
		err = k.deps.File.Save(ctx, encodeBatch(batch))
	}
	if err != nil {
		k.stats.droppedWrites.Add(int64(len(batch)))
		k.deps.Log.Debug("sessions: cannot write the states of sessions", "error", err)
	}
	return err == nil
}

// encodeBatch encodes the last state of every session in the batch.
func encodeBatch(batch []Change) []Saved {
	last := make(map[session.Key]int, len(batch))
	saved := make([]Saved, 0, len(batch))
	for _, c := range batch {
		one := Saved{Key: c.Key[:], State: c.State.Totals.AppendBinary(c.State.AppendBinary(nil)), Expires: c.State.Expires}
		if at, ok := last[c.Key]; ok {
			saved[at] = one
			continue
		}
		last[c.Key] = len(saved)
		saved = append(saved, one)
	}
	return saved
}

func (k *Keeper) loadFile(ctx context.Context) {
	now := time.Now()
	all, err := k.deps.File.LoadAll(ctx, now.UnixMilli())
	if err != nil {
		k.deps.Log.Warn("sessions: cannot read the saved states of sessions; sessions start anew", "error", err)
	}
	for _, saved := range all {
		s, err := session.Decode(saved.State)
		if err != nil || len(saved.Key) != len(session.Key{}) {
			continue // a state of another version
		}
		k.sessions.update(session.Key(saved.Key), now, func(*session.State) *session.State { return s })
	}
}
