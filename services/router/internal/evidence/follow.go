package evidence

import (
	"context"
	"time"
)

const (
	// refreshInterval is the time between two checks for a version of another router.
	refreshInterval = time.Second
	// learnInterval is the time between two steps, and so between two versions.
	learnInterval = time.Minute
	// forgetInterval is the time between two deletions of old outcomes.
	forgetInterval = time.Hour
	// followTimeout limits one round.
	followTimeout = 30 * time.Second
)

// Follow learns from outcomes, and applies what it or another router learned, until ctx
// ends. If the store does not respond, the corrections stay as they are.
func (l *Learner) Follow(ctx context.Context) error {
	tick := time.NewTicker(refreshInterval)
	defer tick.Stop()
	learned, failed := time.Time{}, false
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		err := l.Refresh(ctx)
		if now := time.Now(); err == nil && !l.LearnsOnDemand && now.Sub(learned) >= learnInterval {
			learned = now
			err = l.Poll(ctx)
		}
		if err != nil && !failed && ctx.Err() == nil {
			l.Log.WarnContext(ctx, "cannot learn from outcomes, corrections stay as they are", "error", err)
		}
		failed = err != nil
	}
}

// Poll is one round of Follow: it learns from all new outcomes and applies the result.
func (l *Learner) Poll(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, followTimeout)
	defer cancel()
	for more := true; more; {
		var err error
		if more, err = l.Learn(ctx); err != nil {
			return err
		}
	}
	if err := l.forgetOld(ctx); err != nil {
		return err
	}
	return l.Refresh(ctx)
}

// forgetOld deletes old outcomes from time to time.
func (l *Learner) forgetOld(ctx context.Context) error {
	l.forgetting.Lock()
	defer l.forgetting.Unlock()
	now := l.Now()
	if now.Sub(l.forgotten) < forgetInterval {
		return nil
	}
	if err := l.Store.Forget(ctx, now.Add(-MaxAge-24*time.Hour)); err != nil {
		return err
	}
	l.forgotten = now
	return nil
}
