package process

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"
)

const (
	minRetryPause = 100 * time.Millisecond
	maxRetryPause = 2 * time.Second
)

// RetryWhileUnavailable calls f again as long as f returns an error that matches retryOn, or until ctx
// is done. It waits between the calls, with backoff. A service can therefore start before its
// dependencies. It logs when it starts to wait. If it has waited, it also logs when f succeeds.
func RetryWhileUnavailable(ctx context.Context, log *slog.Logger, retryOn error, f func() error) error {
	waited := false
	for pause := minRetryPause; ; pause = min(2*pause, maxRetryPause) {
		err := f()
		if !errors.Is(err, retryOn) {
			if waited && err == nil {
				log.InfoContext(ctx, "dependency available", "earlier_error", retryOn.Error())
			}
			return err
		}
		if !waited {
			log.WarnContext(ctx, "waiting for dependency", "error", err.Error())
			waited = true
		}
		select {
		case <-time.After(pause/2 + rand.N(pause)):
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ctx.Err(), err)
		}
	}
}
