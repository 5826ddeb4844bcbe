package running

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
)

// fakeSpool has the START frames of requests. A frame is the account's name.
type fakeSpool struct {
	open  [][16]byte
	reads int
}

func (s *fakeSpool) ListRunning(time.Time) [][16]byte { return s.open }

func (s *fakeSpool) ReadStart(id [16]byte) ([]byte, error) {
	s.reads++
	if id[15] == 99 {
		return nil, errors.New("it has ended")
	}
	return []byte{id[14]}, nil
}

type sent struct {
	reports [][]records.RunningRequest
	err     error
}

func (s *sent) ReportRunning(_ context.Context, _ string, running []records.RunningRequest) error {
	s.reports = append(s.reports, running)
	return s.err
}

// frame returns the id of a request. Account 9 is no request.
func frame(account, n byte) (id [16]byte) {
	id[14], id[15] = account, n
	return id
}

func newReporter(s *fakeSpool, to *sent, began time.Time) *Reporter {
	return &Reporter{Spool: s, To: to, Producer: "p", Log: slog.New(slog.DiscardHandler), Summarize: func(start []byte) (Summary, bool) {
		return Summary{Account: string(start), Began: began, Record: start}, start[0] != 9
	}}
}

func TestAReporterReadsEachRequestOnceAndItsTimeNeverFalls(t *testing.T) {
	now := time.Now()
	s, to := &fakeSpool{open: [][16]byte{frame(1, 1), frame(9, 2), frame(1, 99)}}, &sent{}
	r := newReporter(s, to, now.Add(-3*time.Second))
	r.report(t.Context(), now)
	r.report(t.Context(), now.Add(time.Second))
	require.Equal(t, [][]records.RunningRequest{
		{{Elapsed: 3 * time.Second, Record: []byte{1}}},
		{{Elapsed: 4 * time.Second, Record: []byte{1}}},
	}, to.reports, "a comparison and a request that has just ended are left out")
	require.Equal(t, 4, s.reads, "frames that were read are known")

	ahead := newReporter(&fakeSpool{open: [][16]byte{frame(1, 1)}}, &sent{}, now.Add(time.Hour))
	require.Zero(t, ahead.collect(now)[0].Elapsed, "a clock that was set back")
}

func TestAReporterIsSilentWithoutRequests(t *testing.T) {
	s, to := &fakeSpool{}, &sent{}
	r := newReporter(s, to, time.Now())
	r.report(t.Context(), time.Now())
	require.Empty(t, to.reports)
	s.open = [][16]byte{frame(1, 1)}
	r.report(t.Context(), time.Now())
	s.open = nil
	to.err = errors.New("Redis is away")
	r.report(t.Context(), time.Now())
	to.err = nil
	r.report(t.Context(), time.Now())
	r.report(t.Context(), time.Now())
	require.Len(t, to.reports, 3, "one report withdraws the requests, repeated until it arrives")
	require.Empty(t, to.reports[2])
	require.Empty(t, r.known, "ended requests are forgotten")
}

func TestAReportIsBounded(t *testing.T) {
	s, to := &fakeSpool{}, &sent{}
	for account := range byte(8) {
		for n := range byte(98) {
			s.open = append(s.open, frame(account, n))
		}
		for n := range byte(98) {
			s.open = append(s.open, frame(account, n+100))
		}
	}
	r := newReporter(s, to, time.Now())
	out := r.collect(time.Now())
	require.Len(t, out, maxRequests)
	per := map[byte]int{}
	for _, q := range out {
		per[q.Record[0]]++
	}
	require.Equal(t, maxPerAccount, per[0])
	require.Equal(t, maxPerAccount, per[4])
}
