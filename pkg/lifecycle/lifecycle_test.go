package lifecycle_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/lifecycle"
)

// book records events in order.
type book struct {
	mu    sync.Mutex
	lines []string
}

func (b *book) note(line string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lines = append(b.lines, line)
}

// part is a task that takes a while to stop and then returns err.
func (b *book) part(name string, takes time.Duration, err error) lifecycle.Task {
	return lifecycle.Task{Name: name, Run: func(ctx context.Context) error {
		<-ctx.Done()
		b.note("stop " + name)
		<-time.After(takes) // of the bubble's clock
		b.note("end " + name)
		return err
	}}
}

func TestStopsInReverseOneByOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var b book
		done := make(chan error, 1)
		go func() {
			done <- lifecycle.Run(ctx, b.part("store", 0, nil), b.part("server", time.Minute, nil), b.part("edge", time.Hour, nil))
		}()
		synctest.Wait()
		require.Empty(t, b.lines, "all run")
		cancel()
		require.NoError(t, <-done)
		require.Equal(t, []string{"stop edge", "end edge", "stop server", "end server", "stop store", "end store"}, b.lines)
	})
}

func TestFirstErrorWins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := errors.New("disk is full")
		var b book
		err := lifecycle.Run(t.Context(),
			b.part("store", 0, errors.New("later")),
			lifecycle.Task{Name: "spool", Run: func(context.Context) error { return first }},
			b.part("edge", 0, errors.New("later")))
		require.ErrorIs(t, err, first)
		require.EqualError(t, err, "spool: disk is full")
		require.Equal(t, []string{"stop edge", "end edge", "stop store", "end store"}, b.lines, "the others end in order")
	})
}

func TestErrorOfAStopIsReturned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		var b book
		err := lifecycle.Run(ctx, b.part("store", 0, errors.New("flush failed")), b.part("edge", 0, errors.New("cut off")))
		require.EqualError(t, err, "edge: cut off")
	})
}

func TestPanicIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b book
		err := lifecycle.Run(t.Context(), b.part("store", 0, nil),
			lifecycle.Task{Name: "edge", Run: func(context.Context) error { panic("boom") }})
		require.ErrorContains(t, err, "edge: panic: boom")
		require.ErrorContains(t, err, "lifecycle_test.go", "the stack")
		require.Equal(t, []string{"stop store", "end store"}, b.lines)
	})
}

func TestEarlyEndIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b book
		err := lifecycle.Run(t.Context(), b.part("store", 0, nil),
			lifecycle.Task{Name: "edge", Run: func(context.Context) error { return nil }})
		require.EqualError(t, err, "edge: stopped unexpectedly")
		require.Equal(t, []string{"stop store", "end store"}, b.lines)
	})
}

// Many functions return their context's error when they are stopped.
func TestCancelledIsACleanStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		var b book
		require.NoError(t, lifecycle.Run(ctx, b.part("watch", 0, context.Canceled)))
	})
}

// A failure beside the cancellation is reported.
func TestAFailureJoinedWithTheCancellationIsAnError(t *testing.T) {
	lost := errors.New("the last record is lost")
	for name, tt := range map[string]struct {
		give  error
		clean bool
	}{
		"cancelled twice":          {errors.Join(context.Canceled, fmt.Errorf("watch: %w", context.Canceled)), true},
		"caused by it":             {fmt.Errorf("%w: %w", context.Canceled, errors.New("the call ended")), true},
		"joined":                   {errors.Join(context.Canceled, lost), false},
		"joined, then wrapped":     {fmt.Errorf("run: %w", errors.Join(lost, context.Canceled)), false},
		"joined with a joined one": {errors.Join(context.Canceled, errors.Join(context.Canceled, lost)), false},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			var b book
			err := lifecycle.Run(ctx, b.part("watch", 0, tt.give))
			if tt.clean {
				require.NoError(t, err, name)
				return
			}
			require.ErrorIs(t, err, lost, name)
		})
	}
}

func TestCancelledBeforeTheStopIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		err := lifecycle.Run(t.Context(), lifecycle.Task{Name: "watch", Run: func(context.Context) error { return context.Canceled }})
		require.ErrorIs(t, err, context.Canceled)
	})
}
