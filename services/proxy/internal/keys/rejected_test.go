package keys

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/apperr"
)

// refusing returns a service that rejects a key, and a cache that receives pushed changes.
func refusing(t *testing.T) (*service, *Cache, string) {
	t.Helper()
	svc, c, key := setup(t)
	c.PushReached(1)
	svc.set(nil, invalidKeyError("expired"))
	return svc, c, key
}

func TestAnInvalidKeyIsVerifiedOncePerSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc, c, key := refusing(t)
		for range 100 {
			_, err := c.Resolve(t.Context(), key)
			require.Equal(t, apperr.AuthInvalidKey, apperr.CodeOf(err))
			require.Equal(t, "expired", rejectionReason(err))
		}
		require.Equal(t, 1, svc.asked)
		c.PushReached(1) // a heartbeat tells nothing new
		<-time.After(rejectionAge - time.Nanosecond)
		fails(t, c, key, apperr.AuthInvalidKey)
		require.Equal(t, 1, svc.asked)
		<-time.After(time.Nanosecond)
		svc.set(active(1), nil)
		resolves(t, c, key)
	})
}

// Whatever is pushed, a rejection is repeated without a call. A key that is created after it works
// within a second.
func TestNoChangeEndsARefusalAndNoneNeedsTo(t *testing.T) {
	for name, change := range map[string]func(c *Cache){
		"of a key":        func(c *Cache) { c.Apply(Change{Version: 2, AccountID: "a", KeyID: "new", Principal: active(2)}) },
		"of an account":   func(c *Cache) { c.Apply(Change{Version: 2, AccountID: "a"}) },
		"that was missed": func(c *Cache) { c.PushReached(2) },
		"between pushes":  func(c *Cache) { c.PushLost(); c.PushReached(1) },
		"of the store":    func(c *Cache) { c.ResetVersion() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				svc, c, key := refusing(t)
				fails(t, c, key, apperr.AuthInvalidKey)
				svc.set(active(2), nil)
				change(c)
				<-time.After(rejectionAge - time.Nanosecond)
				fails(t, c, key, apperr.AuthInvalidKey)
				require.Equal(t, 1, svc.asked)
				<-time.After(time.Nanosecond)
				resolves(t, c, key)
			})
		})
	}
}

// The age counts from the call, because the key may be created before the response.
func TestASlowRejectionExpiresSooner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc, c, key := refusing(t)
		svc.answer = func() (*Principal, error) {
			<-time.After(rejectionAge / 2)
			return nil, invalidKeyError("unknown")
		}
		fails(t, c, key, apperr.AuthInvalidKey)
		svc.set(active(1), nil)
		<-time.After(rejectionAge / 2)
		resolves(t, c, key)
	})
}

func TestRefusalsAreBounded(t *testing.T) {
	svc, c, _ := refusing(t)
	for range maxRejections + 1 {
		fails(t, c, apikey.New(), apperr.AuthInvalidKey)
	}
	require.Equal(t, maxRejections+1, svc.asked)
	require.LessOrEqual(t, len(c.rejected), maxRejections)
}
