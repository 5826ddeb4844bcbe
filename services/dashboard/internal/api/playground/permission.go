package playground

import (
	"cmp"
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// defaultCheckInterval is how long a run may go on after its user lost the permission.
const defaultCheckInterval = 5 * time.Second

// cancelWhenForbidden calls cancel when the user of a run signs out, is removed or becomes a
// viewer. If keyauth is unavailable, the run continues. The returned function ends the checks
// and waits for the last one.
func (s *API) cancelWhenForbidden(ctx context.Context, r *http.Request, cancel context.CancelFunc) (stop func()) {
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(cmp.Or(s.CheckInterval, defaultCheckInterval))
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-ctx.Done():
				return
			case <-tick.C:
				if s.isForbidden(r) {
					cancel()
					return
				}
			}
		}
	})
	return func() {
		close(done)
		wg.Wait()
	}
}

func (s *API) isForbidden(r *http.Request) bool {
	v, err := s.Authenticate(r)
	if err != nil {
		return apperr.CodeOf(err) == apperr.SessionRequired
	}
	return v.CheckMember() != nil
}
