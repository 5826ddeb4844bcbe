package sandbox

import (
	"context"
	"time"

	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

// pace is how fast an answer comes.
type pace struct {
	first, gap time.Duration
}

func (m model) pace(f fault) pace {
	p := pace{first: m.first, gap: m.gap}
	if f.FirstTokenMS != nil {
		p.first = ms(*f.FirstTokenMS)
	}
	if f.ChunkMS != nil {
		p.gap = ms(*f.ChunkMS)
	}
	return p
}

// whole waits as long as a stream of so many pieces would take.
func (p pace) whole(ctx context.Context, pieces int) error {
	return wait(ctx, p.first+time.Duration(pieces)*p.gap)
}

// wait returns after d, or with the error of the attempt when ctx ends.
func wait(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil {
		return provider.Ended(ctx)
	}
	if d <= 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return provider.Ended(ctx)
	}
}
