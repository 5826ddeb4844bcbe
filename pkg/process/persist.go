package process

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"time"
)

const (
	persistSoonest = 100 * time.Millisecond
	persistLatest  = 2 * time.Second
)

// Persist runs f again and again while it fails because of absent, until ctx
// ends: a service may be started before what it stands on. It says once that it
// waits, and once that it need not any more.
func Persist(ctx context.Context, log *slog.Logger, absent error, f func() error) error {
	waited := false
	for pause := persistSoonest; ; pause = min(2*pause, persistLatest) {
		err := f()
		if !errors.Is(err, absent) {
			if waited && err == nil {
				log.InfoContext(ctx, "the wait is over", "for", absent.Error())
			}
			return err
		}
		if !waited {
			log.WarnContext(ctx, "waiting", "for", err.Error())
			waited = true
		}
		select {
		case <-time.After(pause/2 + rand.N(pause)):
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		}
	}
}
