package keys

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/apperr"
)

// refusing is a service that refuses a key, and a cache that changes are
// pushed to.
func refusing(t *testing.T) (*service, *Cache, string) {
	t.Helper()
	svc, c, key := setup(t)
	c.Pushed(1)
	svc.set(nil, invalid("expired"))
	return svc, c, key
}

func TestABadKeyIsAskedForOnceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc, c, key := refusing(t)
		for range 100 {
			_, err := c.Resolve(t.Context(), key)
			require.Equal(t, apperr.AuthInvalidKey, apperr.CodeOf(err))
			require.Equal(t, "expired", reason(err))
		}
		require.Equal(t, 1, svc.asked)
		c.Pushed(1) // a heartbeat tells nothing new
		<-time.After(refusedAge - time.Nanosecond)
		fails(t, c, key, apperr.AuthInvalidKey)
		require.Equal(t, 1, svc.asked)
		<-time.After(time.Nanosecond)
		svc.set(active(1), nil)
		resolves(t, c, key)
	})
}

// Whatever is pushed, a refusal is repeated without asking, and a key that was
// made after it works within a second.
func TestNoChangeEndsARefusalAndNoneNeedsTo(t *testing.T) {
	for name, change := range map[string]func(c *Cache){
		"of a key":        func(c *Cache) { c.Apply(Change{Version: 2, AccountID: "a", KeyID: "new", Principal: active(2)}) },
		"of an account":   func(c *Cache) { c.Apply(Change{Version: 2, AccountID: "a"}) },
		"that was missed": func(c *Cache) { c.Pushed(2) },
		"between pushes":  func(c *Cache) { c.Broken(); c.Pushed(1) },
		"of the store":    func(c *Cache) { c.Restart() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				svc, c, key := refusing(t)
				fails(t, c, key, apperr.AuthInvalidKey)
				svc.set(active(2), nil)
				change(c)
				<-time.After(refusedAge - time.Nanosecond)
				fails(t, c, key, apperr.AuthInvalidKey)
				require.Equal(t, 1, svc.asked)
				<-time.After(time.Nanosecond)
				resolves(t, c, key)
			})
		})
	}
}

// The age counts from the question: the key may be made while it is answered.
func TestASlowRefusalIsKeptShorter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc, c, key := refusing(t)
		svc.answer = func() (*Principal, error) {
			<-time.After(refusedAge / 2)
			return nil, invalid("unknown")
		}
		fails(t, c, key, apperr.AuthInvalidKey)
		svc.set(active(1), nil)
		<-time.After(refusedAge / 2)
		resolves(t, c, key)
	})
}

func TestRefusalsAreBounded(t *testing.T) {
	svc, c, _ := refusing(t)
	for range refusedCapacity + 1 {
		fails(t, c, apikey.New(), apperr.AuthInvalidKey)
	}
	require.Equal(t, refusedCapacity+1, svc.asked)
	require.LessOrEqual(t, len(c.refused), refusedCapacity)
}
