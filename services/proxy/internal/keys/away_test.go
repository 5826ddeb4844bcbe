package keys

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/apperr"
)

// moody hangs, or responds like its service.
type moody struct {
	service
	hangs atomic.Bool
}

func (m *moody) Verify(ctx context.Context, d apikey.Digest) (*Principal, error) {
	if m.hangs.Load() {
		return hanging{}.Verify(ctx, d)
	}
	return m.service.Verify(ctx, d)
}

func TestKnownKeysDoNotWaitForAHangingService(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &moody{}
		svc.set(active(1), nil)
		c, key := NewCache(svc, time.Now), apikey.New()
		resolves(t, c, key)
		<-time.After(softAge)
		svc.hangs.Store(true)
		resolves(t, c, key)
		for range 10 {
			began := time.Now()
			resolves(t, c, key)
			require.Zero(t, time.Since(began), "only the first waits")
			<-time.After(retryPause)
		}

		<-time.After(retryPause)
		svc.hangs.Store(false)
		svc.set(nil, invalidKeyError("revoked"))
		resolves(t, c, key)
		synctest.Wait()
		fails(t, c, key, apperr.AuthInvalidKey)
	})
}

func TestAPushEndsTheSparing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc, c, key := setup(t)
		resolves(t, c, key)
		<-time.After(softAge)
		svc.set(nil, errRefused)
		resolves(t, c, key)
		svc.set(nil, invalidKeyError("revoked"))
		resolves(t, c, key)
		c.PushReached(1)
		fails(t, c, key, apperr.AuthInvalidKey)
	})
}
