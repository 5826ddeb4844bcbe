package keys

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/apperr"
)

// listening returns a cache with one key, and the changes it reports from then on.
func listening(t *testing.T) (*service, *Cache, string, *[]Known) {
	t.Helper()
	svc, c, key := setup(t)
	var told []Known
	c.OnChange(func(k Known) {
		if c.mu.TryRLock() {
			c.mu.RUnlock()
			t.Error("the lock must be held during the report")
		}
		told = append(told, k)
	})
	c.PushReached(1)
	resolves(t, c, key)
	require.Empty(t, told, "a new key is not a change")
	return svc, c, key, &told
}

// narrowed are principals with fewer permissions than the one of active.
func narrowed(version int64) map[string]*Principal {
	out := map[string]*Principal{}
	for name, edit := range map[string]func(p *Principal){
		"scopes":  func(p *Principal) { p.Scopes = []string{"models"} },
		"models":  func(p *Principal) { p.Models = []string{"m"} },
		"expiry":  func(p *Principal) { p.ExpiresAt = time.Unix(1, 0).UTC() },
		"revoked": func(p *Principal) { p.Active = false },
	} {
		p := active(version)
		edit(p)
		out[name] = p
	}
	return out
}

func TestAPushedChangeIsReportedOnce(t *testing.T) {
	for name, p := range narrowed(2) {
		t.Run(name, func(t *testing.T) {
			_, c, key, told := listening(t)
			before := c.Revision()
			for range 2 {
				c.Apply(Change{Version: 2, AccountID: "a", KeyID: "k", Principal: p})
			}
			require.Len(t, *told, 1)
			require.Equal(t, apikey.DigestOf(key), (*told)[0].Digest)
			require.Equal(t, p, (*told)[0].Principal)
			require.Equal(t, before.Urgent+1, c.Revision().Urgent)
		})
	}
}

// Without a push, the response of the service restricts a key.
func TestAVerifiedChangeIsReported(t *testing.T) {
	for name, p := range narrowed(2) {
		t.Run(name, func(t *testing.T) {
			svc, c, key, told := listening(t)
			c.Apply(Change{Version: 2, AccountID: "a"})
			svc.set(p, nil)
			if !p.Active {
				svc.set(nil, invalidKeyError(reasonRevoked))
			}
			_, _ = c.Resolve(t.Context(), key)
			require.Len(t, *told, 1)
			p.Version = (*told)[0].Principal.Version
			require.Equal(t, p, (*told)[0].Principal)
		})
	}
}

func TestADeletedKeyIsReported(t *testing.T) {
	svc, c, key, told := listening(t)
	before := c.Revision()
	c.Apply(Change{Version: 2, AccountID: "a", KeyID: "k"})
	svc.set(nil, invalidKeyError("expired"))
	fails(t, c, key, apperr.AuthInvalidKey)
	require.Equal(t, []Known{{Digest: apikey.DigestOf(key)}}, *told)
	require.Equal(t, before.Urgent+1, c.Revision().Urgent)
}

// A change without effect on a restart is neither reported nor urgent, because any account can
// cause it as often as it likes.
func TestChangesThatAreNotReported(t *testing.T) {
	for name, happens := range map[string]func(svc *service, c *Cache){
		"another key": func(_ *service, c *Cache) { c.Apply(other(2)) },
		"another key's end": func(_ *service, c *Cache) {
			c.Apply(Change{Version: 2, AccountID: "a", KeyID: "x", Principal: revoked(2)})
		},
		"the same again": func(_ *service, c *Cache) {
			c.Apply(Change{Version: 2, AccountID: "a", KeyID: "k", Principal: active(2)})
		},
		"a doubt":              func(_ *service, c *Cache) { c.Apply(Change{Version: 2, AccountID: "a", KeyID: "k"}) },
		"a doubt of all":       func(_ *service, c *Cache) { c.Apply(Change{Version: 2, AccountID: "a"}) },
		"a doubt that is gone": func(svc *service, c *Cache) { c.PushLost(); svc.set(active(9), nil); c.PushReached(9) },
	} {
		t.Run(name, func(t *testing.T) {
			svc, c, key, told := listening(t)
			before := c.Revision()
			happens(svc, c)
			svc.set(active(9), nil)
			resolves(t, c, key)
			require.Empty(t, *told)
			require.Equal(t, before.Urgent, c.Revision().Urgent)
		})
	}
}

// Changes of an evicted key no longer reach the cache.
func TestAnEvictedKeyIsReported(t *testing.T) {
	c := NewCache(&roomy{}, time.Now)
	var told []Known
	c.OnChange(func(k Known) { told = append(told, k) })
	for i := range maxEntries {
		digest := apikey.Digest{byte(i), byte(i >> 8), byte(i >> 16)}
		p, err := c.service.Verify(t.Context(), digest)
		require.NoError(t, err)
		c.storeVerified(digest, p)
	}
	require.Empty(t, told)
	resolves(t, c, apikey.New())
	require.Len(t, told, 1)
	require.Nil(t, told[0].Principal)
	e, _ := c.find(told[0].Digest)
	require.Nil(t, e.principal)
}

// A state that is older than the known one changes nothing, in whatever order the two arrive.
func TestAnOlderStateIsIgnored(t *testing.T) {
	for name, newer := range narrowed(3) {
		_, c, key, told := listening(t)
		c.Apply(Change{Version: 4, AccountID: "a", KeyID: "k", Principal: newer})
		c.Apply(Change{Version: 5, AccountID: "a", KeyID: "k", Principal: active(2)})
		require.Len(t, *told, 1, name)
		e, _ := c.find(apikey.DigestOf(key))
		require.Equal(t, newer, e.principal, name)
	}
}
