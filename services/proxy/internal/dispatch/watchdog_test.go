package dispatch

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/policy"
)

// A late first token allows another candidate, and the end of the total time does not.
func TestFirstLimitEndsAnAttempt(t *testing.T) {
	for name, c := range map[string]struct {
		firstToken, total time.Duration
		want              error
	}{
		"first token":          {time.Second, 2 * time.Second, errFirstToken},
		"both limits":          {time.Second, time.Second, errFirstToken},
		"total":                {2 * time.Second, time.Second, errTotal},
		"total, no other one":  {0, time.Second, errTotal},
		"total was used up":    {time.Second, -time.Second, errTotal},
		"total is used up now": {time.Second, 0, errTotal},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				limits := timeouts{Timeouts: policy.Timeouts{FirstToken: c.firstToken, Idle: time.Hour, Total: c.total}, lateErr: errFirstToken}
				w := newWatchdog(t.Context(), time.Now().Add(time.Hour), limits)
				defer w.stop()
				<-w.ctx.Done()
				require.Equal(t, c.want, context.Cause(w.ctx))
			})
		})
	}
}
