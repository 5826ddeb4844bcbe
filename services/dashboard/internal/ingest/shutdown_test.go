package ingest

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// strictSpend fails calls whose context has ended, as a real client does.
type strictSpend struct{ *fakeSpend }

func (d strictSpend) ReportSpend(ctx context.Context, in *keyauthv1.ReportSpendRequest, opts ...grpc.CallOption) (*keyauthv1.ReportSpendResponse, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return d.fakeSpend.ReportSpend(ctx, in, opts...)
}

// A shutdown ends the context of Run. The last report has a context of its own.
func TestTheLastSpendReportOutlivesTheContextOfRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := strictSpend{&fakeSpend{sums: map[record.KeyDay]int64{}, told: map[string]int64{}}}
		s := NewSpendReporter(d, d, slog.New(slog.DiscardHandler))
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.Run(ctx) }()
		synctest.Wait()
		d.store(s, "a", 0, 5)
		cancel()
		require.NoError(t, <-done)
		require.Equal(t, map[string]int64{"acc a 2000-01-01": 5}, d.told)
	})
}

// On the first day of a month, records of the last month may still arrive. From the second
// day on only the current month counts. All days are UTC days.
func TestTheLastMonthIsReportedForOneMoreDay(t *testing.T) {
	east := time.FixedZone("", 14*3600)
	day := func(text string) int64 {
		at, err := time.Parse(time.DateOnly, text)
		require.NoError(t, err)
		return record.DayOfTime(at)
	}
	for now, want := range map[time.Time]string{
		time.Date(2026, 2, 28, 23, 59, 59, 0, time.UTC): "2026-02-01",
		time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC):     "2026-02-01",
		time.Date(2026, 3, 1, 23, 59, 59, 0, time.UTC):  "2026-02-01",
		time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC):     "2026-03-01",
		time.Date(2027, 1, 1, 12, 0, 0, 0, time.UTC):    "2026-12-01",
		time.Date(2026, 3, 2, 13, 59, 59, 0, east):      "2026-02-01", // still the first in UTC
		time.Date(2026, 3, 2, 14, 0, 0, 0, east):        "2026-03-01",
	} {
		require.Equal(t, day(want), firstReportedDay(now), now)
	}
}
