package ingest

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/pkg/sqldb"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/signals"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
	"github.com/signalbox/signalbox/services/dashboard/internal/store/storetest"
)

func TestRecordsReachTheLedgerAndAreProven(t *testing.T) {
	ledger := openLedger(t)
	carrier := records.NewMemory()
	stop := run(t, &Ingest{Source: carrier, Ledger: ledger, KeyUses: unreported(), Signals: signals.NewDetector(), Log: slog.New(slog.DiscardHandler)})

	good, id := entry(t, "p", 1, nil)
	unread := records.Entry{Producer: "p", Seq: 2, Record: []byte("\xff not a record")}
	unknown, _ := entry(t, "p", 3, func(r *recordv1.RequestRecord) { r.Schema = 99 })
	nobody, _ := entry(t, "p", 4, func(r *recordv1.RequestRecord) { r.AccountId = "" })
	badID, _ := entry(t, "p", 5, func(r *recordv1.RequestRecord) { r.Id = []byte("short") })
	last, _ := entry(t, "p", 6, nil)
	require.NoError(t, carrier.Publish(t.Context(), []records.Entry{good, unread, unknown, nobody, badID, last}))
	stop(func() bool { return proven(t, carrier, "p", 6) })

	got, err := ledger.Get(t.Context(), "acc", id)
	require.NoError(t, err)
	require.Equal(t, "question", string(got.Content.Request))
	producers, err := ledger.Completeness(t.Context())
	require.NoError(t, err)
	require.Equal(t, []record.Producer{{Name: "p", HighestSeq: 6, Stored: 6, DeadLetters: 4}}, producers)
}

// flaky fails a number of times and then calls the real ledger.
type flaky struct {
	Ledger
	failures atomic.Int64
	err      error
}

func (f *flaky) Insert(ctx context.Context, b record.Batch) error {
	if f.failures.Add(-1) >= 0 {
		return f.err
	}
	return f.Ledger.Insert(ctx, b)
}

func TestAStoreThatFailsIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ledger := &counting{}
		broken := &flaky{Ledger: ledger, err: errors.New("away")}
		broken.failures.Store(20)
		carrier := records.NewMemory()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			done <- (&Ingest{Source: carrier, Ledger: broken, KeyUses: unreported(), Signals: signals.NewDetector(), Log: slog.New(slog.DiscardHandler)}).Run(ctx)
		}()
		e, _ := entry(t, "p", 1, nil)
		require.NoError(t, carrier.Publish(ctx, []records.Entry{e}))
		for !proven(t, carrier, "p", 1) {
			sleepBackoff(ctx, maxBackoff) // advances the bubble's clock
		}
		cancel()
		require.NoError(t, <-done)
		require.EqualValues(t, 1, ledger.records)
	})
}

// counting counts its batches. The real ledger cannot run in a synctest bubble,
// because its driver starts goroutines outside.
type counting struct{ records, transactions int }

func (c *counting) Insert(_ context.Context, b record.Batch) error {
	c.records += len(b.Records)
	c.transactions++
	return nil
}

// The first record is stored at once, closely following ones together.
func TestSmallBatchesShareTransactions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		carrier, ledger := records.NewMemory(), &counting{}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		in := &Ingest{Source: carrier, Ledger: ledger, KeyUses: unreported(), Signals: signals.NewDetector(), Log: slog.New(slog.DiscardHandler)}
		go func() { done <- in.Run(ctx) }()
		const every, comes = smallBatchInterval / 20, 100
		for i := range uint64(comes) {
			e, _ := entry(t, "p", i+1, nil)
			require.NoError(t, carrier.Publish(t.Context(), []records.Entry{e}))
			if synctest.Wait(); i == 0 {
				require.Equal(t, &counting{records: 1, transactions: 1}, ledger)
			}
			<-time.After(every)
		}
		<-time.After(smallBatchInterval)
		synctest.Wait()
		require.Equal(t, comes, ledger.records)
		require.LessOrEqual(t, ledger.transactions, int(comes*every/smallBatchInterval)+2)
		cancel()
		require.NoError(t, <-done)
	})
}

// Large batches do not wait.
func TestLargeBatchesDoNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		small, _ := entry(t, "p", 1, nil)
		large := records.Entry{Producer: "p", Seq: 1, Record: make([]byte, smallBatchBytes)}
		for _, entries := range [][]records.Entry{slices.Repeat([]records.Entry{small}, smallBatchRecords), {large}} {
			carrier, ledger := records.NewMemory(), &counting{}
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			in := &Ingest{Source: carrier, Ledger: ledger, KeyUses: unreported(), Signals: signals.NewDetector(), Log: slog.New(slog.DiscardHandler)}
			go func() { done <- in.Run(ctx) }()
			for range 5 {
				require.NoError(t, carrier.Publish(t.Context(), entries))
				synctest.Wait()
			}
			require.Equal(t, 5, ledger.transactions)
			cancel()
			require.NoError(t, <-done)
		}
	})
}

// picky rejects any batch with the given record, as Postgres does with an invalid
// value.
type picky struct {
	Ledger
	bad uuid.UUID
}

func (p *picky) Insert(ctx context.Context, b record.Batch) error {
	for _, r := range b.Records {
		if r.ID == p.bad {
			return errors.Join(record.ErrRejected, errors.New("22021"))
		}
	}
	return p.Ledger.Insert(ctx, b)
}

func TestRejectedRecordDoesNotBlockOthers(t *testing.T) {
	ledger := openLedger(t)
	carrier := records.NewMemory()
	var entries []records.Entry
	var bad uuid.UUID
	for seq := uint64(1); seq <= 9; seq++ {
		e, id := entry(t, "p", seq, nil)
		if seq == 7 {
			bad = id
		}
		entries = append(entries, e)
	}
	stop := run(t, &Ingest{Source: carrier, Ledger: &picky{ledger, bad}, KeyUses: unreported(), Signals: signals.NewDetector(), Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, carrier.Publish(t.Context(), entries))
	stop(func() bool { return proven(t, carrier, "p", 9) })
	impact, err := ledger.Impact(t.Context(), record.Query{Account: "acc"}, "")
	require.NoError(t, err)
	require.EqualValues(t, 8, impact.Requests)
	producers, err := ledger.Completeness(t.Context())
	require.NoError(t, err)
	require.Equal(t, []record.Producer{{Name: "p", HighestSeq: 9, Stored: 9, DeadLetters: 1}}, producers)
}

// TestWrongClockRecordIsDeletedWithItsDay checks that a record with a wrong clock is deleted with the rows
// that it is counted with.
func TestWrongClockRecordIsDeletedWithItsDay(t *testing.T) {
	ledger, carrier := openLedger(t), records.NewMemory()
	stop := run(t, &Ingest{Source: carrier, Ledger: ledger, KeyUses: unreported(), Signals: signals.NewDetector(), Log: slog.New(slog.DiscardHandler)})
	behind := func(r *recordv1.RequestRecord) { r.Time = timestamppb.New(time.Unix(0, 0)) }
	old, _ := entry(t, "p", 1, behind)
	older, _ := entry(t, "p", 4, behind)
	fresh, _ := entry(t, "p", 2, func(r *recordv1.RequestRecord) { clear(r.Id[:6]) })
	ahead, _ := entry(t, "p", 3, func(r *recordv1.RequestRecord) { r.Time = timestamppb.New(time.Now().AddDate(400, 0, 0)) })
	require.NoError(t, carrier.Publish(t.Context(), []records.Entry{old, fresh, ahead, older}))
	stop(func() bool { return proven(t, carrier, "p", 4) })
	requireStored(t, ledger, 4)
	require.NoError(t, ledger.DropRequests(t.Context(), time.Now().AddDate(0, 0, -30)))
	requireStored(t, ledger, 3)
}

// stopping ends the run while a batch is being stored.
type stopping struct {
	Ledger
	stop context.CancelFunc
}

func (s *stopping) Insert(ctx context.Context, b record.Batch) error {
	s.stop()
	return s.Ledger.Insert(ctx, b)
}

func TestCurrentBatchIsFinished(t *testing.T) {
	ledger := openLedger(t)
	carrier := records.NewMemory()
	e, id := entry(t, "p", 1, nil)
	require.NoError(t, carrier.Publish(t.Context(), []records.Entry{e}))
	ctx, cancel := context.WithCancel(t.Context())
	require.NoError(t, (&Ingest{Source: carrier, Ledger: &stopping{ledger, cancel}, KeyUses: unreported(), Signals: signals.NewDetector(), Log: slog.New(slog.DiscardHandler)}).Run(ctx))
	require.True(t, proven(t, carrier, "p", 1))
	_, err := ledger.Get(t.Context(), "acc", id)
	require.NoError(t, err)
}

// unreported collects uses that are never reported.
func unreported() *KeyUseReporter { return NewKeyUseReporter(nil, slog.New(slog.DiscardHandler)) }

func openLedger(t *testing.T) *store.Store {
	t.Helper()
	return storetest.Open(t, sqldb.SQLiteURL(filepath.Join(t.TempDir(), "records.db")))
}

// run starts the ingest. The returned function waits for the condition, stops the
// ingest and waits for its end.
func run(t *testing.T, in *Ingest) func(until func() bool) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- in.Run(ctx) }()
	return func(until func() bool) {
		require.Eventually(t, until, waitLimit, waitTick)
		cancel()
		require.NoError(t, <-done)
	}
}

const (
	waitLimit = 2 * attemptTimeout
	waitTick  = minBackoff / 10
)

func proven(t *testing.T, carrier *records.Memory, producer string, last uint64) bool {
	committed, err := carrier.CommittedRanges(t.Context(), producer)
	require.NoError(t, err)
	return records.CoversRange(committed, records.Range{First: 1, Last: last})
}

func entry(t *testing.T, producer string, seq uint64, change func(*recordv1.RequestRecord)) (records.Entry, uuid.UUID) {
	t.Helper()
	id := uuid.Must(uuid.NewV7())
	m := &recordv1.RequestRecord{
		Schema: 1, Id: id[:], AccountId: "acc", KeyId: "k", Time: timestamppb.Now(),
		Endpoint: recordv1.Endpoint_ENDPOINT_CHAT, Outcome: recordv1.Outcome_OUTCOME_OK,
		Content: &recordv1.Content{Request: []byte("question"), RequestBytes: 8},
	}
	if change != nil {
		change(m)
	}
	raw, err := proto.Marshal(m)
	require.NoError(t, err)
	return records.Entry{Producer: producer, Seq: seq, Record: raw}, id
}

// stoppingLedger fails every insert, and ends the context of Run during the first one.
type stoppingLedger struct{ stop context.CancelFunc }

func (l stoppingLedger) Insert(context.Context, record.Batch) error {
	l.stop()
	return errors.New("the database is unavailable")
}

// The carrier must deliver the batch again after a restart. If it were acknowledged, the spool
// would free records that no store has.
func TestAStopWhileTheStoreFailsAcknowledgesNothing(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	carrier := records.NewMemory()
	e, _ := entry(t, "p", 1, nil)
	require.NoError(t, carrier.Publish(ctx, []records.Entry{e}))
	in := &Ingest{Source: carrier, Ledger: stoppingLedger{stop}, KeyUses: unreported(), Signals: signals.NewDetector(), Log: slog.New(slog.DiscardHandler)}
	require.NoError(t, in.Run(ctx))
	committed, err := carrier.CommittedRanges(t.Context(), "p")
	require.NoError(t, err)
	require.Empty(t, committed)
	again, err := carrier.Next(t.Context())
	require.NoError(t, err)
	require.Equal(t, []records.Entry{e}, again.Entries, "the batch is delivered again")
}
