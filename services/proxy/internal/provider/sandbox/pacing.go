package sandbox

import (
	"context"
	"time"

	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

// pacing holds the delays of a response.
type pacing struct {
	firstTokenDelay, chunkDelay time.Duration
}

func (m model) pacingFor(f fault) pacing {
	p := pacing{firstTokenDelay: m.firstTokenDelay, chunkDelay: m.chunkDelay}
	if f.FirstTokenMS != nil {
		p.firstTokenDelay = milliseconds(*f.FirstTokenMS)
	}
	if f.ChunkMS != nil {
		p.chunkDelay = milliseconds(*f.ChunkMS)
	}
	return p
}

// waitForAll waits as long as a stream of that many chunks would take.
func (p pacing) waitForAll(ctx context.Context, chunks int) error {
	return sleep(ctx, p.firstTokenDelay+time.Duration(chunks)*p.chunkDelay)
}

// sleep waits for d. If ctx ends first, it returns provider.ContextError.
func sleep(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil {
		return provider.ContextError(ctx)
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
		return provider.ContextError(ctx)
	}
}
