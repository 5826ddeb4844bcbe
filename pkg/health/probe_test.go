package health_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/health"
)

// longest bounds how long a probe takes to notice a change.
const longest = 5 * time.Second

// store responds, fails or hangs.
type store struct {
	mode  atomic.Value
	asked atomic.Int64
}

func (s *store) ask(ctx context.Context) error {
	s.asked.Add(1)
	switch s.mode.Load() {
	case "refuses":
		return errors.New("connection refused")
	case "hangs":
		<-ctx.Done()
		return ctx.Err()
	}
	return nil
}

// probing runs the probes of a store while f looks at the readiness.
func probing(t *testing.T, s *store, f func(r *health.Readiness, log *bytes.Buffer)) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		r := health.New()
		probes := health.NewProbes(r, slog.New(slog.NewTextHandler(&log, nil)))
		probes.AddRequired("store", s.ask)
		probes.AddOptional("other", func(context.Context) error { return nil })
		require.Equal(t, []string{"store"}, r.Report().FailedRequired, "until it has answered")
		require.Equal(t, []string{"other"}, r.Report().FailedOptional)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- probes.Run(ctx) }()
		synctest.Wait()
		f(r, &log)
		cancel()
		require.NoError(t, <-done)
	})
}

func TestReadinessFollowsWhatIsAsked(t *testing.T) {
	for _, mode := range []string{"refuses", "hangs"} {
		t.Run(mode, func(t *testing.T) {
			s := &store{}
			probing(t, s, func(r *health.Readiness, log *bytes.Buffer) {
				require.Equal(t, health.Ready, r.Report().Status)
				s.mode.Store(mode)
				<-time.After(longest)
				require.Equal(t, health.NotReady, r.Report().Status)
				require.Equal(t, []string{"store"}, r.Report().FailedRequired)
				<-time.After(time.Minute)
				s.mode.Store("answers")
				<-time.After(longest)
				require.Equal(t, health.Ready, r.Report().Status)
				synctest.Wait()
				require.Equal(t, 1, strings.Count(log.String(), "dependency unavailable"), log)
				require.Equal(t, 1, strings.Count(log.String(), "dependency available again"), log)
				require.Equal(t, 2, strings.Count(log.String(), "dependency=store"), log)
			})
		})
	}
}

func TestWhatWasNeverThereIsLost(t *testing.T) {
	s := &store{}
	s.mode.Store("refuses")
	probing(t, s, func(r *health.Readiness, log *bytes.Buffer) {
		require.Equal(t, health.NotReady, r.Report().Status)
		require.Equal(t, 1, strings.Count(log.String(), "dependency unavailable"), log)
	})
}

func TestTheEndIsNoLoss(t *testing.T) {
	s := &store{}
	s.mode.Store("hangs")
	var kept *bytes.Buffer
	probing(t, s, func(_ *health.Readiness, log *bytes.Buffer) { kept = log })
	require.Empty(t, kept.String())
}

func TestQuestionsAreFew(t *testing.T) {
	s := &store{}
	probing(t, s, func(*health.Readiness, *bytes.Buffer) {
		<-time.After(time.Minute)
		require.InDelta(t, 30, s.asked.Load(), 10)
	})
}
