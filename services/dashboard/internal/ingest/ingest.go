// Package ingest moves records from their carrier into the ledger: each batch
// becomes one transaction of the store, and only then is it acknowledged. It
// loses nothing: a store that fails is tried again with the same batch, and
// what cannot be read is kept as a dead letter. The dashboard runs one.
package ingest

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"math/rand/v2"
	"time"

	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/services/dashboard/internal/codec"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// Ledger is where batches go.
type Ledger interface {
	Insert(ctx context.Context, b record.Batch) error
}

// Ingest is the mover. All fields are needed.
type Ingest struct {
	Source records.Source
	Ledger Ledger
	Uses   *Uses
	Log    *slog.Logger
}

const (
	// pace is how often a few records are stored: a transaction costs as much
	// for one as for many, on a machine that others may need. Fewer than few
	// with less than light bytes are a few.
	pace  = 100 * time.Millisecond
	few   = 100
	light = 256 << 10

	firstPause = 50 * time.Millisecond
	longPause  = 5 * time.Second
	// tryTimeout bounds one transaction, and so how long a batch in hand may
	// hold up a shutdown.
	tryTimeout = 10 * time.Second
)

// Run moves batches until ctx ends. The batch in hand is then still finished,
// unless the store fails: it was not acknowledged, and comes again.
func (in *Ingest) Run(ctx context.Context) error {
	for pause := firstPause; ; {
		batch, err := in.Source.Next(ctx)
		switch {
		case err == nil:
			began := time.Now()
			in.settle(ctx, batch)
			if isFew(batch.Entries) {
				rest(ctx, began.Add(pace))
			}
			pause = firstPause
		case ctx.Err() != nil:
			return nil
		default:
			in.Log.Warn("records cannot be fetched", "error", err, "again_in", pause)
			pause = wait(ctx, pause)
		}
	}
}

// isFew tells whether it is worth while to let more come together.
func isFew(entries []records.Entry) bool {
	size := 0
	for i := range entries {
		size += len(entries[i].Record)
	}
	return len(entries) < few && size < light
}

// rest waits. Whatever comes after a silence is stored at once.
func rest(ctx context.Context, until time.Time) {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// settle stores the batch, however long that takes, and acknowledges it.
func (in *Ingest) settle(ctx context.Context, b records.Batch) {
	for pause := firstPause; ; {
		err := in.try(ctx, func(ctx context.Context) error { return in.commit(ctx, b.Entries) })
		if err == nil {
			break
		}
		in.Log.Error("records cannot be stored", "error", err, "records", len(b.Entries), "again_in", pause)
		if pause = wait(ctx, pause); ctx.Err() != nil {
			return
		}
	}
	err := in.try(ctx, func(ctx context.Context) error { return b.Ack(ctx, ranges(b.Entries)) })
	if err != nil {
		// The batch comes again, is found to be stored, and is acknowledged then.
		in.Log.Warn("stored records cannot be acknowledged", "error", err, "records", len(b.Entries))
	}
}

// try gives f its own time: the end of ctx must not tear a transaction apart.
func (in *Ingest) try(ctx context.Context, f func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tryTimeout)
	defer cancel()
	return f(ctx)
}

// commit stores the entries. The one at fault when the store refuses the data
// becomes a dead letter: one bad record never holds up the others.
func (in *Ingest) commit(ctx context.Context, entries []records.Entry) error {
	store := func(some []records.Entry) error {
		b := in.batch(some)
		err := in.Ledger.Insert(ctx, b)
		if err == nil {
			in.Uses.note(b.Records)
		}
		return err
	}
	return apart(entries, store, func(e records.Entry, err error) error {
		in.Log.Error("a record is refused by the store", "error", err, "producer", e.Producer, "seq", e.Seq)
		return in.Ledger.Insert(ctx, record.Batch{
			Dead:      []record.DeadLetter{{Entry: e, Reason: "refused by the store"}},
			Committed: ranges([]records.Entry{e}),
		})
	})
}

// apart stores all at once. When the store refuses the data itself, they are
// halved until the one at fault is found.
func apart[T any](all []T, store func([]T) error, refused func(T, error) error) error {
	err := store(all)
	switch half := len(all) / 2; {
	case !errors.Is(err, record.ErrRefused):
		return err
	case half > 0:
		return errors.Join(apart(all[:half], store, refused), apart(all[half:], store, refused))
	}
	return refused(all[0], err)
}

func (in *Ingest) batch(entries []records.Entry) record.Batch {
	b := record.Batch{Committed: ranges(entries)}
	for _, e := range entries {
		r, err := codec.Decode(e.Record)
		if err != nil {
			b.Dead = append(b.Dead, in.letter(e, err))
			continue
		}
		b.Records = append(b.Records, r)
	}
	return b
}

// letter is an entry that cannot be read. One of a newer schema is not broken,
// and waits for a version that knows it.
func (in *Ingest) letter(e records.Entry, err error) record.DeadLetter {
	d := record.DeadLetter{Entry: e, Reason: err.Error()}
	var newer *codec.SchemaError
	if errors.As(err, &newer) {
		d.Parked, d.Schema = true, newer.Schema
		in.Log.Warn("a record is of a newer schema and waits", "schema", newer.Schema, "producer", e.Producer, "seq", e.Seq)
		return d
	}
	in.Log.Error("a record cannot be read", "error", err, "producer", e.Producer, "seq", e.Seq)
	return d
}

// ranges are the numbers of the entries. Numbers that no spool gives are left
// out: they prove nothing.
func ranges(entries []records.Entry) map[string][]records.Range {
	out := map[string][]records.Range{}
	for _, e := range entries {
		if e.Seq > 0 && e.Seq <= math.MaxInt64 {
			out[e.Producer] = append(out[e.Producer], records.Range{First: e.Seq, Last: e.Seq})
		}
	}
	for producer, all := range out {
		out[producer] = records.Merge(all)
	}
	return out
}

// wait waits between half the pause and all of it, so that several dashboards
// do not come back at the same moment. It returns the next pause.
func wait(ctx context.Context, pause time.Duration) time.Duration {
	timer := time.NewTimer(pause/2 + rand.N(pause/2))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return min(2*pause, longPause)
}
