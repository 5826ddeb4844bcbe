package ingest

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

// letters returns dead letters of an older version that this one can decode, and
// two that it cannot.
func letters(t *testing.T, ledger *store.Store) (ids []uuid.UUID) {
	var b record.Batch
	for n := range 5 {
		e, id := entry(t, "p", uint64(n+1), nil)
		b.DeadLetters = append(b.DeadLetters, record.DeadLetter{Entry: e, Reason: "schema 1 is not known", Parked: n < 3, Schema: 1})
		ids = append(ids, id)
	}
	newer, _ := entry(t, "p", 6, func(r *recordv1.RequestRecord) { r.Schema = 99 })
	b.DeadLetters = append(b.DeadLetters, record.DeadLetter{Entry: newer, Reason: "schema 99 is not known", Parked: true, Schema: 99},
		record.DeadLetter{Entry: records.Entry{Producer: "p", Seq: 7, Record: []byte("\xff")}, Reason: "not a record"})
	require.NoError(t, ledger.Insert(t.Context(), b))
	return ids
}

func left(t *testing.T, ledger *store.Store) (seqs []int64) {
	dead, err := ledger.DeadLetters(t.Context(), 50)
	require.NoError(t, err)
	for _, d := range dead {
		require.Positive(t, d.Size)
		require.Nil(t, d.Entry.Record, "a list does not tell what is in them")
		seqs = append(seqs, d.ID.Seq)
	}
	return seqs
}

func TestParkedRecordsAreReplayed(t *testing.T) {
	ledger := openLedger(t)
	ids := letters(t, ledger)
	done, remain, err := ReplayDeadLetters(t.Context(), ledger, false)
	require.NoError(t, err)
	require.Equal(t, []int{3, 1}, []int{done, remain})
	require.Equal(t, []int64{4, 5, 6, 7}, left(t, ledger))
	requireStored(t, ledger, 3)
	got, err := ledger.Get(t.Context(), "acc", ids[0])
	require.NoError(t, err)
	require.Equal(t, "question", string(got.Content.Request))

	done, remain, err = ReplayDeadLetters(t.Context(), ledger, true)
	require.NoError(t, err)
	require.Equal(t, []int{2, 2}, []int{done, remain})
	require.Equal(t, []int64{6, 7}, left(t, ledger))
	requireStored(t, ledger, 5)
	done, remain, err = ReplayDeadLetters(t.Context(), ledger, true)
	require.NoError(t, err)
	require.Equal(t, []int{0, 2}, []int{done, remain}, "once is enough")
}

// choosy rejects the record with this id.
type choosy struct {
	*store.Store
	picky
}

func (c choosy) Insert(ctx context.Context, b record.Batch) error { return c.picky.Insert(ctx, b) }

func TestARefusedLetterStays(t *testing.T) {
	ledger := openLedger(t)
	ids := letters(t, ledger)
	done, remain, err := ReplayDeadLetters(t.Context(), choosy{ledger, picky{ledger, ids[1]}}, true)
	require.NoError(t, err)
	require.Equal(t, []int{4, 3}, []int{done, remain})
	require.Equal(t, []int64{2, 6, 7}, left(t, ledger))
}
