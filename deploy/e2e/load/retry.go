package load

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/signalbox/signalbox/deploy/e2e/reconcile"
)

// The vendors' libraries retry a request without a response twice by default, after half a
// second and more. These clients retry a little longer.
const (
	maxRetries = 8
	retryPause = 500 * time.Millisecond
)

// retrier repeats requests that got no response, while it is switched on.
type retrier struct {
	on    atomic.Bool
	count atomic.Int64
}

func (r *retrier) set(yes bool) int {
	r.on.Store(yes)
	return int(r.count.Swap(0))
}

func (r *retrier) do(ctx context.Context, c *Client, e RequestSpec) reconcile.Request {
	line := c.Do(ctx, e)
	for n := 0; n < maxRetries && line.Status == 0 && r.on.Load(); n++ {
		r.count.Add(1)
		<-time.After(retryPause)
		e.Entry.Began = line.Began
		line = c.Do(ctx, e)
	}
	return line
}
