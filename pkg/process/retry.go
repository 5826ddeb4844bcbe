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

// RetryWhileUnavailable retries f with backoff while it fails with the error absent, until
// ctx is done. A service can thus start before its dependencies. It logs when it starts to
// wait and when it succeeds.
func RetryWhileUnavailable(ctx context.Context, log *slog.Logger, absent error, f func() error) error {
	waited := false
	for pause := minRetryPause; ; pause = min(2*pause, maxRetryPause) {
		err := f()
		if !errors.Is(err, absent) {
			if waited && err == nil {
				log.InfoContext(ctx, "dependency available", "for", absent.Error())
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
