package keys

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/apperr"
)

// In each case the service then says that the key is valid: an instance that lags behind, a store
// from a backup, or a late response.
func TestARevokedKeyNeverComesBack(t *testing.T) {
	revoke := func(c *Cache) {
		c.Apply(Change{Version: 5, AccountID: "a", KeyID: "k", Principal: revoked(5)})
	}
	for name, happens := range map[string]func(svc *service, c *Cache, key string){
		"an old answer comes late": func(svc *service, c *Cache, key string) {
			c.Apply(Change{Version: 2, AccountID: "a"}) // so that it is asked for
			svc.answer = func() (*Principal, error) {
				revoke(c)
				return active(2), nil
			}
			fails(t, c, key, apperr.AuthInvalidKey)
		},
		"an old answer comes after the store was replaced": func(svc *service, c *Cache, key string) {
			c.Apply(Change{Version: 2, AccountID: "a"})
			svc.answer = func() (*Principal, error) {
				revoke(c)
				c.ResetVersion()
				return active(2), nil
			}
			fails(t, c, key, apperr.AuthInvalidKey)
		},
		"the service fails while it is revoked": func(svc *service, c *Cache, key string) {
			c.Apply(Change{Version: 2, AccountID: "a"})
			svc.answer = func() (*Principal, error) {
				revoke(c)
				return nil, errRefused
			}
			fails(t, c, key, apperr.AuthInvalidKey)
		},
		"the service says so without a push": func(svc *service, c *Cache, key string) {
			c.PushLost()
			c.Apply(Change{Version: 2, AccountID: "a"})
			svc.set(nil, invalidKeyError("revoked"))
			fails(t, c, key, apperr.AuthInvalidKey)
		},
		"the push has a gap": func(_ *service, c *Cache, _ string) {
			c.PushLost()
			c.PushReached(1)
			revoke(c)
			c.PushReached(5)
			c.PushLost()
			c.PushReached(5)
		},
		"the push begins anew": func(_ *service, c *Cache, _ string) {
			revoke(c)
			c.PushLost()
			c.ResetVersion()
			c.PushReached(1)
		},
		"an older change follows": func(_ *service, c *Cache, _ string) {
			revoke(c)
			c.Apply(Change{Version: 4, AccountID: "a", KeyID: "k", Principal: active(4)})
			c.Apply(Change{Version: 6, AccountID: "a"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			svc, c, key := setup(t)
			c.PushReached(1)
			resolves(t, c, key)
			happens(svc, c, key)
			for _, version := range []int64{1, 5, 100} {
				svc.set(active(version), nil)
				fails(t, c, key, apperr.AuthInvalidKey)
				next, usable := restarted(svc, c)
				require.Zero(t, usable)
				fails(t, next, key, apperr.AuthInvalidKey)
			}
		})
	}
}

// The response to the first call was read before the key was revoked, when the cache did not know
// the key.
func TestAnUnknownKeyThatIsRevokedDuringItsLookup(t *testing.T) {
	svc, c, key := setup(t)
	c.PushReached(1)
	svc.answer = func() (*Principal, error) {
		c.Apply(Change{Version: 2, AccountID: "a", KeyID: "k", Principal: revoked(2)})
		return active(1), nil
	}
	fails(t, c, key, apperr.AuthUnavailable)
	require.Equal(t, maxAttempts, svc.asked)
	require.Empty(t, c.entries)
}

// Changing the clock affects neither a revocation nor the hard age.
func TestClockSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var step time.Duration
		svc := &service{}
		svc.set(active(1), nil)
		c, key := NewCache(svc, func() time.Time { return time.Now().Add(step) }), apikey.New()
		resolves(t, c, key)
		c.PushReached(1)
		c.Apply(Change{Version: 2, AccountID: "a", KeyID: "k", Principal: revoked(2)})
		for _, step = range []time.Duration{-24 * time.Hour, 24 * time.Hour, -time.Second, 0} {
			fails(t, c, key, apperr.AuthInvalidKey)
			next := NewCache(svc, func() time.Time { return time.Now().Add(step) })
			require.Zero(t, next.Import(c.Export()))
			fails(t, next, key, apperr.AuthInvalidKey)
		}
	})
}

// The confirmation times in a file use the wall clock, which may be set back. After the import, ages
// use the monotonic clock.
func TestTheAgeOfARememberedKeyDoesNotFollowTheWallClock(t *testing.T) {
	svc, c, key := setup(t)
	confirmed := time.Now().Add(-time.Minute).Round(0)
	require.Equal(t, 1, c.Import(Snapshot{Known: []Known{{Digest: apikey.DigestOf(key), Principal: active(1), Confirmed: confirmed}}}))
	e, _ := c.find(apikey.DigestOf(key))
	require.NotEqual(t, e.confirmedAt.Round(0), e.confirmedAt, "it has a monotonic reading")
	require.WithinDuration(t, confirmed, e.confirmedAt, 0)
	require.Zero(t, svc.asked)
}
