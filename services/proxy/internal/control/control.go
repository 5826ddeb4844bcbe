// Package control is the proxy's side of the control plane: it asks the router
// and the key service, follows what they push, and encodes records. It is the
// only package of the proxy that knows protobuf; everything behind it speaks
// in the domain's own types.
package control

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"time"
)

const (
	firstPause = 50 * time.Millisecond
	// longestPause keeps a watch from being down for a second after its service
	// is back: keys are answered by then, and their revocation must be heard of.
	longestPause = 500 * time.Millisecond
	// silence is how long a watch may say nothing before it counts as broken;
	// the services send a heartbeat every second.
	silence = 5 * time.Second
)

// follow keeps a watch going until ctx ends: it runs watch again whenever it
// breaks, with a jittered pause that grows while it keeps breaking at once.
// watch calls up when it has reached the service.
func follow(ctx context.Context, log *slog.Logger, name string, watch func(ctx context.Context, up func()) error) {
	pause := firstPause
	state := trouble{log: log.With("watch", name)}
	defer state.end()
	for ctx.Err() == nil {
		began := time.Now()
		err := watch(ctx, state.up)
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) > longestPause {
			pause = firstPause
		}
		state.broke(err)
		select {
		case <-time.After(pause/2 + rand.N(pause)): //nolint:gosec // jitter needs no secrecy
		case <-ctx.Done():
		}
		pause = min(2*pause, longestPause)
	}
}

var errSilent = errors.New("no heartbeat")

// heartbeat cancels a watch that has fallen silent. The returned function is
// called for every message.
func heartbeat(ctx context.Context) (context.Context, func(), context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(silence, func() { cancel(errSilent) })
	beat := func() {
		if timer.Stop() {
			timer.Reset(silence)
		}
	}
	return ctx, beat, func() {
		timer.Stop()
		cancel(nil)
	}
}
