package ingest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/records"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/signals"
)

// fakeKeyauth is a fake keyauth that stores the reported uses and fails on demand.
type fakeKeyauth struct {
	mu    sync.Mutex
	err   error
	calls int
	took  map[string]*keyauthv1.KeyUse // by key
}

func (d *fakeKeyauth) ReportUse(ctx context.Context, in *keyauthv1.ReportUseRequest, _ ...grpc.CallOption) (*keyauthv1.ReportUseResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls++
	if _, bounded := ctx.Deadline(); !bounded {
		return nil, errors.New("a call without a deadline")
	}
	if d.err != nil {
		return nil, d.err
	}
	for _, u := range in.GetUses() {
		d.took[u.GetKeyId()] = u
	}
	return &keyauthv1.ReportUseResponse{}, nil
}

// fail makes every call fail with err; nil makes calls succeed.
func (d *fakeKeyauth) fail(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.err = err
}

// told returns the number of calls and the stored uses.
func (d *fakeKeyauth) told() (int, map[string]*keyauthv1.KeyUse) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.calls, maps.Clone(d.took)
}

// reporting runs a KeyUseReporter in a synctest bubble; pass advances the clock.
func reporting(t *testing.T, test func(t *testing.T, u *KeyUseReporter, d *fakeKeyauth, pass func(time.Duration))) {
	synctest.Test(t, func(t *testing.T) {
		d := &fakeKeyauth{took: map[string]*keyauthv1.KeyUse{}}
		u := NewKeyUseReporter(d, slog.New(slog.DiscardHandler))
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- u.Run(ctx) }()
		test(t, u, d, func(long time.Duration) {
			<-time.After(long)
			synctest.Wait()
		})
		cancel()
		require.NoError(t, <-done)
	})
}

func used(key string, at time.Time, from string) *record.Record {
	return &record.Record{AccountID: "acc", KeyID: key, Time: at, ClientAddress: from}
}

func TestTheNewestUseOfEachKeyIsReportedSeldom(t *testing.T) {
	reporting(t, func(t *testing.T, u *KeyUseReporter, d *fakeKeyauth, pass func(time.Duration)) {
		began := time.Now()
		for n := range 50 {
			u.noteUses([]*record.Record{used("a", began.Add(-time.Duration(n)*time.Second), fmt.Sprint(n)), used("b", began, "from b")})
		}
		u.noteUses([]*record.Record{used("", began, "nobody")})
		calls, _ := d.told()
		require.Zero(t, calls, "no call for a request")
		pass(useInterval)
		calls, took := d.told()
		require.Equal(t, 1, calls)
		require.Len(t, took, 2)
		require.Equal(t, "0", took["a"].GetAddress())
		require.Equal(t, began.UTC(), took["a"].GetTime().AsTime())
		require.Equal(t, "acc", took["a"].GetAccountId())
		pass(time.Minute)
		calls, _ = d.told()
		require.Equal(t, 1, calls, "nothing new, no call")
		u.noteUses([]*record.Record{used("a", time.Now().Add(time.Hour), "wrong clock")})
		pass(useInterval)
		_, took = d.told()
		require.Equal(t, "wrong clock", took["a"].GetAddress())
		require.False(t, took["a"].GetTime().AsTime().After(time.Now()))
	})
}

func TestUsesWaitForKeyauthToComeBack(t *testing.T) {
	reporting(t, func(t *testing.T, u *KeyUseReporter, d *fakeKeyauth, pass func(time.Duration)) {
		d.fail(errors.New("away"))
		u.noteUses([]*record.Record{used("a", time.Now(), "old"), used("b", time.Now(), "b")})
		pass(3 * useInterval)
		calls, _ := d.told()
		require.Equal(t, 3, calls, "tried again, and not more often")
		u.noteUses([]*record.Record{used("a", time.Now(), "new")})
		d.fail(nil)
		pass(useInterval)
		_, took := d.told()
		require.Equal(t, "new", took["a"].GetAddress())
		require.Equal(t, "b", took["b"].GetAddress())
	})
}

func TestARefusedReportIsNotRepeated(t *testing.T) {
	reporting(t, func(t *testing.T, u *KeyUseReporter, d *fakeKeyauth, pass func(time.Duration)) {
		d.fail(apperr.New(apperr.InvalidRequest, "no"))
		u.noteUses([]*record.Record{used("a", time.Now(), "x")})
		pass(5 * useInterval)
		calls, _ := d.told()
		require.Equal(t, 1, calls)
	})
}

func TestPendingUsesAreLimited(t *testing.T) {
	u := unreported()
	for n := range maxPendingUses + 5 {
		u.noteUses([]*record.Record{used(fmt.Sprint(n), time.Now(), "x")})
	}
	require.Len(t, u.pending, maxPendingUses)
	require.Len(t, u.takeBatch(), maxReportItems)
}

func TestTheLastUsesAreReportedAtTheEnd(t *testing.T) {
	var d *fakeKeyauth
	reporting(t, func(_ *testing.T, u *KeyUseReporter, told *fakeKeyauth, _ func(time.Duration)) {
		d = told
		u.noteUses([]*record.Record{used("a", time.Now(), "x")})
	})
	_, took := d.told()
	require.Len(t, took, 1)
}

// TestOnlyStoredRecordsAreUses checks that records that failed to be stored are not
// reported as uses.
func TestOnlyStoredRecordsAreUses(t *testing.T) {
	ledger := openLedger(t)
	carrier := records.NewMemory()
	good, id := entry(t, "p", 1, func(r *recordv1.RequestRecord) {
		r.ClientAddress, r.Time = "192.0.2.1", nil
	})
	sec, nsec := id.Time().UnixTime()
	refused, bad := entry(t, "p", 2, func(r *recordv1.RequestRecord) { r.KeyId = "other" })
	uses := unreported()
	stop := run(t, &Ingest{Source: carrier, Ledger: &picky{ledger, bad}, KeyUses: uses, Signals: signals.NewDetector(), Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, carrier.Publish(t.Context(), []records.Entry{good, refused}))
	stop(func() bool { return proven(t, carrier, "p", 2) })
	require.Equal(t, map[accountKey]keyUse{{"acc", "k"}: {time.Unix(sec, nsec).UTC(), "192.0.2.1"}}, uses.pending)
}
