// Package control connects the proxy to the control plane: the router and the key service.
// Router requests decisions and receives policies. Keys verifies keys and receives their
// changes. Outcomes reports how attempts ended. RecordCodec encodes records. If the router is
// unavailable, Router decides in the proxy with the last policy. The other internal packages of
// the proxy use domain types instead of protobuf messages.
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
	// maxPause limits the pause before a watch connects again. A watch is a long-lived stream
	// of updates from a service. The pause is short, because revocations of keys must arrive
	// soon after the service is available again.
	maxPause = 500 * time.Millisecond
	// maxSilence is how long a watch may receive nothing before it counts as failed. The
	// services send a heartbeat every second.
	maxSilence = 5 * time.Second
)

// follow runs watch until ctx ends, and runs it again whenever it fails. The pause in between
// has jitter and grows while watch keeps failing immediately. watch calls up when it has reached
// the service.
func follow(ctx context.Context, log *slog.Logger, name string, watch func(ctx context.Context, up func()) error) {
	pause := firstPause
	state := watchLog{log: log.With("watch", name)}
	defer state.close()
	for ctx.Err() == nil {
		began := time.Now()
		err := watch(ctx, state.connected)
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) > maxPause {
			pause = firstPause
		}
		state.disconnected(err)
		select {
		case <-time.After(pause/2 + rand.N(pause)): //nolint:gosec // jitter needs no secrecy
		case <-ctx.Done():
		}
		pause = min(2*pause, maxPause)
	}
}

var errSilent = errors.New("no heartbeat from the service")

// withHeartbeat cancels a watch that receives nothing for maxSilence. The caller must call the
// first returned function for every message, and the second one at the end.
func withHeartbeat(ctx context.Context) (context.Context, func(), context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(maxSilence, func() { cancel(errSilent) })
	beat := func() {
		if timer.Stop() {
			timer.Reset(maxSilence)
		}
	}
	return ctx, beat, func() {
		timer.Stop()
		cancel(nil)
	}
}
