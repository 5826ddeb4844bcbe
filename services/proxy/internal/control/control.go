// Package control connects the proxy to the control plane. Router requests decisions and
// follows the policy. Keys verifies keys and follows their changes. Outcomes reports how
// attempts ended. RecordCodec encodes records. It is the only package of the proxy that uses
// protobuf; the other packages use domain types. If the router is unavailable, Router
// decides in the proxy with the last policy.
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
	// maxPause limits how long a watch stays disconnected after its service is back.
	// The service already verifies keys by then, so revocations must arrive soon.
	maxPause = 500 * time.Millisecond
	// maxSilence is how long a watch may receive nothing before it counts as broken. The
	// services send a heartbeat every second.
	maxSilence = 5 * time.Second
)

// follow runs watch until ctx ends, again whenever it breaks. The pause in between has jitter
// and grows while the watch keeps breaking at once. watch calls up when it has reached the
// service.
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

// withHeartbeat cancels a watch that receives nothing for too long. The caller calls the returned
// function for every message.
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
