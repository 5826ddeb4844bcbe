package store_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

const (
	// ingestTime is how long each number of writers and readers is measured.
	ingestTime = 15 * time.Second
	// ingestBatch is how many records a dashboard takes from Redis at a time when many wait.
	ingestBatch = 1000
	// readInterval is the time between the pages of one reader. Five readers are a busy team.
	readInterval = time.Second
	readers      = 5
	// live is the account of the new records. The ledger's own account stays as it was filled.
	live = "live"
	// ingestTarget is the number of records per second that must be stored while pages are read.
	ingestTarget = 15_000
)

// printIngest prints how many records per second are stored in the filled ledger, without and with
// readers, and how long the readers' pages take meanwhile. A writer is a dashboard: it stores one
// batch after the other.
func (l ledger) printIngest(b *testing.B, s *store.Store) {
	fmt.Printf("%-44s %12s %8s %12s %12s %12s\n", "ingest", "records/s", "", "pages/s", "page p50 ms", "page p95 ms")
	for _, c := range []struct{ writers, readers int }{{1, 0}, {2, 0}, {1, readers}, {2, readers}} {
		began := time.Now()
		stored, took := l.ingestAndRead(b, s, c.writers, c.readers)
		elapsed := time.Since(began).Seconds() // longer than ingestTime: the last batches are finished
		rate := float64(stored) / elapsed
		verdict := ""
		switch {
		case c.readers == 0: // the target is for a ledger that is read
		case rate < ingestTarget:
			verdict = "NOT met"
		default:
			verdict = "met"
		}
		name := fmt.Sprintf("%d writers, %d readers", c.writers, c.readers)
		fmt.Printf("%-44s %12.0f %8s %12.1f %12s %12s\n", name, rate, verdict, float64(len(took))/elapsed, millis(percentile(took, 50)), millis(percentile(took, 95)))
	}
}

func (l ledger) ingestAndRead(b *testing.B, s *store.Store, writers, readers int) (stored int, took []time.Duration) {
	ctx, cancel := context.WithTimeout(b.Context(), ingestTime)
	defer cancel()
	var mu sync.Mutex
	var group errgroup.Group
	for writer := range writers {
		group.Go(func() error {
			n, err := l.write(ctx, s, writer)
			mu.Lock()
			defer mu.Unlock()
			stored += n
			return err
		})
	}
	for reader := range readers {
		group.Go(func() error {
			times, err := l.readPages(ctx, s, reader)
			mu.Lock()
			defer mu.Unlock()
			took = append(took, times...)
			return err
		})
	}
	require.NoError(b, group.Wait())
	slices.Sort(took)
	return stored, took
}

// write stores batches of new requests until ctx ends. It finishes its last batch.
func (l ledger) write(ctx context.Context, s *store.Store, writer int) (stored int, err error) {
	for n := 0; ctx.Err() == nil; n++ {
		if err := s.Insert(context.WithoutCancel(ctx), l.newBatch(writer<<40+n*ingestBatch, time.Now().UTC())); err != nil {
			return stored, err
		}
		stored += ingestBatch
	}
	return stored, nil
}

// newBatch returns a full batch of requests at a time. first makes them different from those of other
// batches.
func (l ledger) newBatch(first int, at time.Time) (b record.Batch) {
	for n := range ingestBatch {
		r := l.record(first+n, at.Truncate(time.Microsecond))
		r.AccountID = live
		b.Records = append(b.Records, r)
	}
	return b
}

// readPages reads what the dashboard shows, a page per interval until ctx ends.
func (l ledger) readPages(ctx context.Context, s *store.Store, reader int) (took []time.Duration, err error) {
	pages := []func(context.Context, int) (int, error){
		l.page(s, ""), l.deep(s, ""), l.page(s, "model:model-3"), l.page(s, "has:error"), l.page(s, "latency:>6s"), l.monthByModel(s), livePage(s),
	}
	next := time.NewTicker(readInterval)
	defer next.Stop()
	for n := reader; ; n++ {
		select {
		case <-ctx.Done():
			return took, nil
		case <-next.C:
		}
		began := time.Now()
		if _, err := pages[n%len(pages)](context.WithoutCancel(ctx), n); err != nil {
			return took, err
		}
		took = append(took, time.Since(began))
	}
}

// livePage reads the newest records while they are stored.
func livePage(s *store.Store) func(context.Context, int) (int, error) {
	return func(ctx context.Context, _ int) (int, error) {
		page, err := s.Page(ctx, record.Query{Account: live}, nil, 50)
		return len(page.Items), err
	}
}

func (l ledger) monthByModel(s *store.Store) func(context.Context, int) (int, error) {
	return func(ctx context.Context, _ int) (int, error) {
		q, err := l.query("")
		if err != nil {
			return 0, err
		}
		impact, err := s.Impact(ctx, q, record.GroupModel)
		return len(impact.Groups), err
	}
}

// percentile returns a percentile of sorted times, 0 if there are none.
func percentile(sorted []time.Duration, p int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[len(sorted)*p/100]
}
