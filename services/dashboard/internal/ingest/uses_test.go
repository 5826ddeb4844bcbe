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
)

// desk is who is told of uses. It fails as it is told to, and keeps what it
// took.
type desk struct {
	mu    sync.Mutex
	err   error
	calls int
	took  map[string]*keyauthv1.KeyUse // by key
}

func (d *desk) ReportUse(ctx context.Context, in *keyauthv1.ReportUseRequest, _ ...grpc.CallOption) (*keyauthv1.ReportUseResponse, error) {
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

// fail makes every call fail with err; nil lets them through.
func (d *desk) fail(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.err = err
}

// told is how often it was called, and what it took.
func (d *desk) told() (int, map[string]*keyauthv1.KeyUse) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.calls, maps.Clone(d.took)
}

// reporting runs Uses in a bubble; pass lets time go by.
func reporting(t *testing.T, test func(t *testing.T, u *Uses, d *desk, pass func(time.Duration))) {
	synctest.Test(t, func(t *testing.T) {
		d := &desk{took: map[string]*keyauthv1.KeyUse{}}
		u := NewUses(d, slog.New(slog.DiscardHandler))
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
	reporting(t, func(t *testing.T, u *Uses, d *desk, pass func(time.Duration)) {
		began := time.Now()
		for n := range 50 {
			u.note([]*record.Record{used("a", began.Add(-time.Duration(n)*time.Second), fmt.Sprint(n)), used("b", began, "from b")})
		}
		u.note([]*record.Record{used("", began, "nobody")})
		calls, _ := d.told()
		require.Zero(t, calls, "no call for a request")
		pass(reportEvery)
		calls, took := d.told()
		require.Equal(t, 1, calls)
		require.Len(t, took, 2)
		require.Equal(t, "0", took["a"].GetAddress())
		require.Equal(t, began.UTC(), took["a"].GetTime().AsTime())
		require.Equal(t, "acc", took["a"].GetAccountId())
		pass(time.Minute)
		calls, _ = d.told()
		require.Equal(t, 1, calls, "nothing new, no call")
		u.note([]*record.Record{used("a", time.Now().Add(time.Hour), "wrong clock")})
		pass(reportEvery)
		_, took = d.told()
		require.Equal(t, "wrong clock", took["a"].GetAddress())
		require.False(t, took["a"].GetTime().AsTime().After(time.Now()))
	})
}

func TestUsesWaitForKeyauthToComeBack(t *testing.T) {
	reporting(t, func(t *testing.T, u *Uses, d *desk, pass func(time.Duration)) {
		d.fail(errors.New("away"))
		u.note([]*record.Record{used("a", time.Now(), "old"), used("b", time.Now(), "b")})
		pass(3 * reportEvery)
		calls, _ := d.told()
		require.Equal(t, 3, calls, "tried again, and not more often")
		u.note([]*record.Record{used("a", time.Now(), "new")})
		d.fail(nil)
		pass(reportEvery)
		_, took := d.told()
		require.Equal(t, "new", took["a"].GetAddress())
		require.Equal(t, "b", took["b"].GetAddress())
	})
}

func TestARefusedReportIsNotRepeated(t *testing.T) {
	reporting(t, func(t *testing.T, u *Uses, d *desk, pass func(time.Duration)) {
		d.fail(apperr.New(apperr.InvalidRequest, "no"))
		u.note([]*record.Record{used("a", time.Now(), "x")})
		pass(5 * reportEvery)
		calls, _ := d.told()
		require.Equal(t, 1, calls)
	})
}

func TestUsesAreBounded(t *testing.T) {
	u := unreported()
	for n := range maxUses + 5 {
		u.note([]*record.Record{used(fmt.Sprint(n), time.Now(), "x")})
	}
	require.Len(t, u.pending, maxUses)
	require.Len(t, u.take(), reportMost)
}

func TestTheLastUsesAreReportedAtTheEnd(t *testing.T) {
	var d *desk
	reporting(t, func(_ *testing.T, u *Uses, told *desk, _ func(time.Duration)) {
		d = told
		u.note([]*record.Record{used("a", time.Now(), "x")})
	})
	_, took := d.told()
	require.Len(t, took, 1)
}

// TestOnlyStoredRecordsAreUses: what nobody can look up was not a use.
func TestOnlyStoredRecordsAreUses(t *testing.T) {
	ledger := openLedger(t)
	carrier := records.NewMemory()
	good, id := entry(t, "p", 1, func(r *recordv1.RequestRecord) {
		r.ClientAddress, r.Time = "192.0.2.1", nil
	})
	sec, nsec := id.Time().UnixTime()
	refused, bad := entry(t, "p", 2, func(r *recordv1.RequestRecord) { r.KeyId = "other" })
	uses := unreported()
	stop := run(t, &Ingest{Source: carrier, Ledger: &picky{ledger, bad}, Uses: uses, Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, carrier.Publish(t.Context(), []records.Entry{good, refused}))
	stop(func() bool { return proven(t, carrier, "p", 2) })
	require.Equal(t, map[key]use{{"acc", "k"}: {time.Unix(sec, nsec).UTC(), "192.0.2.1"}}, uses.pending)
}
