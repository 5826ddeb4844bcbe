package process

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"time"
)

const (
	minRetryPause = 100 * time.Millisecond
	maxRetryPause = 2 * time.Second
)

// RetryWhileUnavailable calls f until it returns something other than the error unavailable, or ctx
// is done. It waits between the calls, with backoff. So a service can start before its dependencies.
// It logs when it starts to wait and when f succeeds.
func RetryWhileUnavailable(ctx context.Context, log *slog.Logger, unavailable error, f func() error) error {
	waited := false
	for pause := minRetryPause; ; pause = min(2*pause, maxRetryPause) {
		err := f()
		if !errors.Is(err, unavailable) {
			if waited && err == nil {
				log.InfoContext(ctx, "dependency available", "for", unavailable.Error())
			}
			return err
		}
		if !waited {
			log.WarnContext(ctx, "waiting for dependency", "for", err.Error())
			waited = true
		}
		select {
		case <-time.After(pause/2 + rand.N(pause)):
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		}
	}
}
