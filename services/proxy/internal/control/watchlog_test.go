package control

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// line is a connection that a test breaks and restores.
type line struct {
	log bytes.Buffer

	mu   sync.Mutex
	mode string
	// broken is closed when the connection breaks.
	broken chan struct{}
}

// watch works, is refused, or is accepted and then rejected.
func (l *line) watch(ctx context.Context, up func()) error {
	mode, broken := l.state()
	if mode == "refused" {
		return errors.New("connection refused")
	}
	up()
	if mode == "forbidden" {
		return errors.New("role may not")
	}
	select {
	case <-broken:
	case <-ctx.Done():
	}
	return errors.New("reset")
}

func (l *line) state() (mode string, broken <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.mode, l.broken
}

func (l *line) becomes(mode string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mode = mode
	if mode != "" {
		close(l.broken)
		l.broken = make(chan struct{})
	}
}

func (l *line) lines(words string) int {
	synctest.Wait()
	return strings.Count(l.log.String(), words)
}

func following(t *testing.T, mode string, f func(l *line)) {
	synctest.Test(t, func(t *testing.T) {
		l := &line{mode: mode, broken: make(chan struct{})}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			follow(ctx, slog.New(slog.NewTextHandler(&l.log, nil)), "keys", l.watch)
		}()
		f(l)
		cancel()
		<-done
	})
}

func TestAFailingWatchIsLoggedOnce(t *testing.T) {
	for _, mode := range []string{"refused", "forbidden"} {
		t.Run(mode, func(t *testing.T) {
			following(t, "", func(l *line) {
				<-time.After(time.Minute)
				l.becomes(mode)
				<-time.After(time.Minute)
				require.Equal(t, 1, l.lines("connection lost"), l.log.String())
				require.Zero(t, l.lines("connection restored"), l.log.String())
				l.becomes("")
				<-time.After(2*maxPause + stableAfter)
				require.Equal(t, 1, l.lines("connection restored"), l.log.String())
				l.becomes(mode)
				<-time.After(warnAfter + 2*maxPause)
				require.Equal(t, 2, l.lines("connection lost"), l.log.String())
			})
		})
	}
}

func TestAWatchThatNeverWorkedIsLogged(t *testing.T) {
	following(t, "refused", func(l *line) {
		<-time.After(warnAfter + 2*maxPause)
		require.Equal(t, 1, l.lines("level=WARN"), l.log.String())
		require.Equal(t, 1, l.lines("watch=keys"), l.log.String())
	})
}

func TestAShortBreakIsNotWorthALine(t *testing.T) {
	following(t, "", func(l *line) {
		for range 10 {
			<-time.After(time.Minute)
			l.becomes("refused")
			<-time.After(warnAfter / 4)
			l.becomes("")
		}
		<-time.After(time.Minute)
		require.Zero(t, l.lines("watch"), l.log.String())
	})
}
