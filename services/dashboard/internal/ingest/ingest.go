// Package ingest moves records from the carrier into the ledger. The carrier is
// Redis or, in the all-in-one, the spool. Ingest stores a batch, normally in one
// transaction, and acknowledges the batch afterwards, so a crash loses nothing.
// If the ledger is unavailable, Ingest retries the same batch. It stores undecodable
// records as dead letters. ReplayDeadLetters tries to decode them again.
// KeyUseReporter and SpendReporter send the last use and the spend of each key
// to keyauth. The dashboard runs one of each.
package ingest

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/services/dashboard/internal/codec"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/signals"
)

// Ledger stores batches.
type Ledger interface {
	Insert(ctx context.Context, b record.Batch) error
}

// Ingest moves records from Source to Ledger. All fields are required, except for Stored.
type Ingest struct {
	Source  records.Source
	Ledger  Ledger
	KeyUses *KeyUseReporter
	// Signals finds signs of bad responses in the records.
	Signals *signals.Detector
	// Stored is called after each batch with its number of records and how long storing took,
	// repetitions included. It may be nil.
	Stored func(records int, took time.Duration)
	Log    *slog.Logger
}

const (
	// smallBatchInterval is the minimum time from the start of a small batch to the
	// next batch, because a transaction costs about the same for one record as for
	// many. A batch is small if it is below both smallBatchRecords and smallBatchBytes.
	smallBatchInterval = 100 * time.Millisecond
	smallBatchRecords  = 100
	smallBatchBytes    = 256 << 10

	minBackoff = 50 * time.Millisecond
	maxBackoff = 5 * time.Second
	// attemptTimeout limits one transaction, and one acknowledgement. A shutdown
	// waits for both.
	attemptTimeout = 10 * time.Second
)

// Run moves batches until ctx ends. It then finishes the current batch, unless
// the store fails. The carrier delivers an unacknowledged batch again.
func (in *Ingest) Run(ctx context.Context) error {
	for pause := minBackoff; ; {
		batch, err := in.Source.Next(ctx)
		switch {
		case err == nil:
			began := time.Now()
			in.storeAndAck(ctx, batch)
			if isSmallBatch(batch.Entries) {
				sleepUntil(ctx, began.Add(smallBatchInterval))
			}
			pause = minBackoff
		case ctx.Err() != nil:
			return nil
		default:
			in.Log.Warn("fetching records failed", "error", err, "again_in", pause)
			pause = sleepBackoff(ctx, pause)
		}
	}
}

// isSmallBatch reports whether Run should pause after the batch, so that the
// next batch collects more records.
func isSmallBatch(entries []records.Entry) bool {
	size := 0
	for i := range entries {
		size += len(entries[i].Record)
	}
	return len(entries) < smallBatchRecords && size < smallBatchBytes
}

// sleepUntil waits until a time or the end of ctx. Run calls it after it stored a
// batch, not before. The first batch after an idle period therefore does not wait.
func sleepUntil(ctx context.Context, until time.Time) {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// storeAndAck stores the batch and acknowledges it. It retries until the store
// succeeds or ctx ends.
func (in *Ingest) storeAndAck(ctx context.Context, b records.Batch) {
	began, decoded := time.Now(), in.decodeEntries(b.Entries)
	for pause := minBackoff; ; {
		err := in.runAttempt(ctx, func(ctx context.Context) error { return in.storeEntries(ctx, decoded) })
		if err == nil {
			break
		}
		in.Log.Error("storing records failed", "error", err, "records", len(b.Entries), "again_in", pause)
		if pause = sleepBackoff(ctx, pause); ctx.Err() != nil {
			return
		}
	}
	if in.Stored != nil {
		in.Stored(len(b.Entries), time.Since(began))
	}
	err := in.runAttempt(ctx, func(ctx context.Context) error { return b.Ack(ctx, committedRanges(b.Entries)) })
	if err != nil {
		// The carrier delivers the batch again. Insert then ignores the records that
		// are already stored, and the batch is acknowledged again.
		in.Log.Warn("stored records cannot be acknowledged", "error", err, "records", len(b.Entries))
	}
}

// runAttempt runs f with its own timeout. A shutdown, which ends ctx, does not
// interrupt f.
func (in *Ingest) runAttempt(ctx context.Context, f func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), attemptTimeout)
	defer cancel()
	return f(ctx)
}

// storeEntries stores the entries. An entry whose data the store rejects becomes
// a dead letter, so that the entry does not block the others.
func (in *Ingest) storeEntries(ctx context.Context, entries []decodedEntry) error {
	store := func(some []decodedEntry) error {
		b := in.buildBatch(some)
		err := in.Ledger.Insert(ctx, b)
		if err == nil {
			in.KeyUses.noteUses(b.Records)
		}
		return err
	}
	return applyOrBisect(entries, store, func(d decodedEntry, err error) error {
		e := d.entry
		in.Log.Error("record rejected by the store", "error", err, "producer", e.Producer, "seq", e.Seq)
		return in.Ledger.Insert(ctx, record.Batch{
			DeadLetters: []record.DeadLetter{{Entry: e, Reason: "rejected by the store"}},
			Committed:   committedRanges([]records.Entry{e}),
		})
	})
}

// applyOrBisect calls apply with all items at once. If apply rejects the data, it
// bisects the items until it finds the invalid ones. It passes these to reject.
func applyOrBisect[T any](all []T, apply func([]T) error, reject func(T, error) error) error {
	err := apply(all)
	switch half := len(all) / 2; {
	case !errors.Is(err, record.ErrRejected):
		return err
	case half > 0:
		return errors.Join(applyOrBisect(all[:half], apply, reject), applyOrBisect(all[half:], apply, reject))
	}
	return reject(all[0], err)
}

// decodedEntry is an entry with its content, or the error that it cannot be decoded.
type decodedEntry struct {
	entry   records.Entry
	content codec.Entry
	err     error
	signals signals.Result
}

// decodeEntries decodes the entries of a batch and searches the records for signals. It
// runs once per batch, also if the store fails at first.
func (in *Ingest) decodeEntries(entries []records.Entry) []decodedEntry {
	decoded := make([]decodedEntry, len(entries))
	var requests []*record.Record
	var positions []int
	for i, e := range entries {
		content, err := codec.DecodeEntry(e.Record)
		decoded[i] = decodedEntry{entry: e, content: content, err: err}
		if content.Record != nil {
			requests, positions = append(requests, content.Record), append(positions, i)
		}
	}
	for n, result := range in.Signals.Examine(requests) {
		decoded[positions[n]].signals = result
	}
	return decoded
}

func (in *Ingest) buildBatch(entries []decodedEntry) record.Batch {
	b := record.Batch{Unexamined: map[uuid.UUID]bool{}}
	raw := make([]records.Entry, len(entries))
	for i, d := range entries {
		raw[i] = d.entry
		if d.err != nil {
			b.DeadLetters = append(b.DeadLetters, in.newDeadLetter(d.entry, d.err))
			continue
		}
		addEntry(&b, d.content)
		b.Evidence = append(b.Evidence, d.signals.Signals...)
		if d.signals.Skipped {
			b.Unexamined[d.content.Record.ID] = true
		}
	}
	b.Committed = committedRanges(raw)
	return b
}

// addEntry adds a record, feedback or a comparison to a batch.
func addEntry(b *record.Batch, e codec.Entry) {
	if e.Record != nil {
		b.Records = append(b.Records, e.Record)
	}
	if e.Comparison != nil {
		b.Comparisons = append(b.Comparisons, *e.Comparison)
	}
	b.Evidence = append(b.Evidence, e.Feedback...)
}

// newDeadLetter wraps an entry that cannot be decoded. An entry with a newer
// schema is parked: it is stored until a version that supports the schema replays
// it.
func (in *Ingest) newDeadLetter(e records.Entry, err error) record.DeadLetter {
	d := record.DeadLetter{Entry: e, Reason: err.Error()}
	var newer *codec.SchemaError
	if errors.As(err, &newer) {
		d.Parked, d.Schema = true, newer.Schema
		in.Log.Warn("record has a newer schema, parked", "schema", newer.Schema, "producer", e.Producer, "seq", e.Seq)
		return d
	}
	in.Log.Error("record cannot be decoded", "error", err, "producer", e.Producer, "seq", e.Seq)
	return d
}

// committedRanges returns the sequence numbers of the entries by producer. It
// omits numbers that no spool assigns, which come from damaged entries.
func committedRanges(entries []records.Entry) map[string][]records.Range {
	out := map[string][]records.Range{}
	for _, e := range entries {
		if e.Seq > 0 && e.Seq <= math.MaxInt64 {
			out[e.Producer] = append(out[e.Producer], records.Range{First: e.Seq, Last: e.Seq})
		}
	}
	for producer, all := range out {
		out[producer] = records.MergeRanges(all)
	}
	return out
}

// sleepBackoff sleeps between half the pause and the full pause, so that several
// dashboards do not retry at the same moment. It returns the next pause.
func sleepBackoff(ctx context.Context, pause time.Duration) time.Duration {
	timer := time.NewTimer(pause/2 + rand.N(pause/2))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return min(2*pause, maxBackoff)
}
