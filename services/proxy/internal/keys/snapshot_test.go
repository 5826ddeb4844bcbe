package keys

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/apperr"
)

var errRefused = errors.New("connection refused")

// restarted returns a new cache with the content of the other one.
func restarted(svc *service, c *Cache) (*Cache, int) {
	next := NewCache(svc, time.Now)
	return next, next.Import(c.Export())
}

func resolves(t *testing.T, c *Cache, key string) {
	t.Helper()
	_, err := c.Resolve(t.Context(), key)
	require.NoError(t, err)
}

func fails(t *testing.T, c *Cache, key string, code apperr.Code) {
	t.Helper()
	_, err := c.Resolve(t.Context(), key)
	require.Equal(t, code, apperr.CodeOf(err))
}

func TestARememberedKeyIsUsedUpToTheHardAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc, c, key := setup(t)
		resolves(t, c, key)
		<-time.After(time.Minute)
		next, usable := restarted(svc, c)
		require.Equal(t, 1, usable)
		svc.set(nil, errRefused)
		resolves(t, next, key)
		<-time.After(hardAge - time.Minute - time.Nanosecond)
		resolves(t, next, key)
		<-time.After(time.Nanosecond)
		fails(t, next, key, apperr.AuthUnavailable)
		_, usable = restarted(svc, c)
		require.Zero(t, usable)
	})
}

func TestAStoredKeyIsVerifiedFirst(t *testing.T) {
	svc, c, key := setup(t)
	resolves(t, c, key)
	next, _ := restarted(svc, c)
	svc.set(nil, invalidKeyError("revoked"))
	fails(t, next, key, apperr.AuthInvalidKey)
	require.Equal(t, uint64(1), next.Revision().Urgent, "what is on disk is no longer true")
}

// A connected push without changes of a key confirms it.
func TestAPushKeepsKeysYoung(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc, c, key := setup(t)
		c.PushReached(1)
		resolves(t, c, key)
		<-time.After(2 * hardAge)
		c.PushReached(1)
		_, usable := restarted(svc, c)
		require.Equal(t, 1, usable, "while it goes on")
		<-time.After(time.Second)
		c.PushLost()
		svc.set(nil, errRefused)
		<-time.After(hardAge - time.Second - time.Nanosecond)
		resolves(t, c, key)
		_, usable = restarted(svc, c)
		require.Equal(t, 1, usable, "after it broke")
		<-time.After(time.Nanosecond)
		fails(t, c, key, apperr.AuthUnavailable)
	})
}

func TestADoubtedKeyAgesFromTheDoubtOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc, c, key := setup(t)
		c.PushReached(1)
		resolves(t, c, key)
		<-time.After(hardAge)
		c.PushReached(1)
		c.Apply(Change{Version: 2, AccountID: "a"})
		svc.set(nil, errRefused)
		for range 3 { // the push does not vouch for what it has put in doubt
			<-time.After(hardAge/3 - time.Nanosecond)
			c.PushReached(2)
			resolves(t, c, key)
		}
		<-time.After(3 * time.Nanosecond)
		fails(t, c, key, apperr.AuthUnavailable)
	})
}

func TestARevokedKeyIsRememberedForGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc, c, key := setup(t)
		c.PushReached(1)
		resolves(t, c, key)
		before := c.Revision()
		c.Apply(Change{Version: 2, AccountID: "a", KeyID: "k", Principal: revoked(2)})
		require.Equal(t, before.Urgent+1, c.Revision().Urgent)
		<-time.After(100 * hardAge)
		next, usable := restarted(svc, c)
		require.Zero(t, usable)
		next.Apply(Change{Version: 3, AccountID: "a", KeyID: "k", Principal: active(3)})
		next.ResetVersion()
		next.PushReached(1)
		fails(t, next, key, apperr.AuthInvalidKey)
		require.Equal(t, 1, svc.asked)
	})
}

// A rejection that was in progress during the revocation changes nothing.
func TestARefusalKeepsARevocation(t *testing.T) {
	svc, c, key := setup(t)
	resolves(t, c, key)
	c.PushReached(1)
	svc.answer = func() (*Principal, error) {
		c.Apply(Change{Version: 2, AccountID: "a", KeyID: "k", Principal: revoked(2)})
		return nil, invalidKeyError("revoked")
	}
	fails(t, c, key, apperr.AuthInvalidKey)
	svc.set(nil, errRefused)
	fails(t, c, key, apperr.AuthInvalidKey)
}

func TestThePushGoesOnWhereItStopped(t *testing.T) {
	svc, c, _ := setup(t)
	c.PushReached(7)
	next, _ := restarted(svc, c)
	require.EqualValues(t, 7, next.Version())
}

func TestKeysOfTheFutureAreNotBelieved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc, c, key := setup(t)
		known := Known{Digest: apikey.DigestOf(key), Principal: active(1), Confirmed: time.Now().Add(time.Hour)}
		require.Zero(t, c.Import(Snapshot{Known: []Known{known}}))
		svc.set(nil, errRefused)
		fails(t, c, key, apperr.AuthUnavailable)
	})
}
