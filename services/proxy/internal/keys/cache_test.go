package keys

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/apperr"
)

// service is a key service whose response the test sets.
type service struct {
	mu     sync.Mutex
	answer func() (*Principal, error)
	asked  int
}

func (s *service) Verify(context.Context, apikey.Digest) (*Principal, error) {
	s.mu.Lock()
	s.asked++
	answer := s.answer
	s.mu.Unlock()
	return answer()
}

func (s *service) set(p *Principal, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = func() (*Principal, error) { return p, err }
}

func active(version int64) *Principal {
	return &Principal{AccountID: "a", KeyID: "k", Active: true, Version: version}
}

func revoked(version int64) *Principal {
	p := active(version)
	p.Active = false
	return p
}

func setup(t *testing.T) (*service, *Cache, string) {
	t.Helper()
	svc := &service{}
	svc.set(active(1), nil)
	return svc, NewCache(svc, time.Now), apikey.New()
}

func TestAMalformedKeyIsNotVerified(t *testing.T) {
	svc, c, key := setup(t)
	_, err := c.Resolve(t.Context(), key[:len(key)-1]+"!")
	require.True(t, apperr.Is(err, apperr.AuthInvalidKey))
	require.Zero(t, svc.asked)
}

func TestKnownKeyAsksOnceWhilePushed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc, c, key := setup(t)
		c.PushReached(0)
		for range 3 {
			p, err := c.Resolve(t.Context(), key)
			require.NoError(t, err)
			require.Equal(t, "k", p.KeyID)
			<-time.After(softAge)
		}
		require.Equal(t, 1, svc.asked)
	})
}

func TestWithoutPushEntriesAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc, c, key := setup(t)
		_, err := c.Resolve(t.Context(), key)
		require.NoError(t, err)
		<-time.After(softAge)
		svc.set(nil, invalidKeyError("revoked"))
		_, err = c.Resolve(t.Context(), key)
		require.True(t, apperr.Is(err, apperr.AuthInvalidKey))
	})
}

func TestServiceUnavailable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc, c, key := setup(t)
		_, err := c.Resolve(t.Context(), key)
		require.NoError(t, err)
		svc.set(nil, errors.New("connection refused"))

		<-time.After(hardAge - time.Second)
		_, err = c.Resolve(t.Context(), key)
		require.NoError(t, err, "a known key works up to the hard age")

		_, err = c.Resolve(t.Context(), apikey.New())
		require.True(t, apperr.Is(err, apperr.AuthUnavailable), "an unknown key never gets AUTH_INVALID_KEY")

		<-time.After(time.Second)
		_, err = c.Resolve(t.Context(), key)
		require.True(t, apperr.Is(err, apperr.AuthUnavailable))
	})
}

func TestPushedRevocationEndsAKeyForGood(t *testing.T) {
	svc, c, key := setup(t)
	c.PushReached(0)
	_, err := c.Resolve(t.Context(), key)
	require.NoError(t, err)
	c.Apply(Change{Version: 2, AccountID: "a", KeyID: "k", Principal: revoked(2)})
	c.Apply(Change{Version: 1, AccountID: "a", KeyID: "k", Principal: active(1)})
	c.PushLost()
	svc.set(nil, errors.New("connection refused"))
	_, err = c.Resolve(t.Context(), key)
	require.True(t, apperr.Is(err, apperr.AuthInvalidKey))
}

// The response was read before the revocation and arrives after it.
func TestFillDoesNotUndoARevocation(t *testing.T) {
	svc, c, key := setup(t)
	c.PushReached(0)
	svc.answer = func() (*Principal, error) {
		c.Apply(Change{Version: 2, AccountID: "a", KeyID: "k", Principal: revoked(2)})
		svc.set(nil, invalidKeyError("revoked"))
		return active(1), nil
	}
	_, err := c.Resolve(t.Context(), key)
	require.True(t, apperr.Is(err, apperr.AuthInvalidKey))
	require.Equal(t, 2, svc.asked)
}

// A store that was restored from a backup has lower versions than the cache.
func TestARestoredServiceIsBelievedAgain(t *testing.T) {
	svc, c, key := setup(t)
	c.PushReached(9)
	_, err := c.Resolve(t.Context(), key)
	require.True(t, apperr.Is(err, apperr.AuthUnavailable), "the response is older than the pushed version")
	require.Equal(t, maxAttempts, svc.asked, "and no endless asking")
	c.ResetVersion()
	_, err = c.Resolve(t.Context(), key)
	require.NoError(t, err)
}

func TestAccountChangeAsksAgain(t *testing.T) {
	svc, c, key := setup(t)
	c.PushReached(0)
	_, err := c.Resolve(t.Context(), key)
	require.NoError(t, err)
	changed := active(2)
	changed.Baseline = "other"
	svc.set(changed, nil)
	c.Apply(Change{Version: 2, AccountID: "a"})
	p, err := c.Resolve(t.Context(), key)
	require.NoError(t, err)
	require.Equal(t, "other", p.Baseline)
}

func TestKeysAreVerifiedAfterMissedChanges(t *testing.T) {
	svc, c, key := setup(t)
	_, err := c.Resolve(t.Context(), key)
	require.NoError(t, err)
	svc.set(nil, invalidKeyError("revoked"))
	c.PushReached(0)
	_, err = c.Resolve(t.Context(), key)
	require.True(t, apperr.Is(err, apperr.AuthInvalidKey))
}

func TestExpiryIsToTheSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc, c, key := setup(t)
		c.PushReached(0)
		p := active(1)
		p.ExpiresAt = time.Now().Add(time.Minute)
		svc.set(p, nil)
		<-time.After(time.Minute - time.Nanosecond)
		_, err := c.Resolve(t.Context(), key)
		require.NoError(t, err)
		<-time.After(time.Nanosecond)
		_, err = c.Resolve(t.Context(), key)
		require.True(t, apperr.Is(err, apperr.AuthInvalidKey))
	})
}

func TestHangingServiceIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewCache(hanging{}, time.Now)
		began := time.Now()
		_, err := c.Resolve(t.Context(), apikey.New())
		require.True(t, apperr.Is(err, apperr.AuthUnavailable))
		require.Equal(t, lookupTimeout, time.Since(began))
	})
}

type hanging struct{}

func (hanging) Verify(ctx context.Context, _ apikey.Digest) (*Principal, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestKeysDifferingInTheLastCharacterDoNotShare(t *testing.T) {
	svc, c, key := setup(t)
	_, err := c.Resolve(t.Context(), key)
	require.NoError(t, err)
	svc.set(nil, invalidKeyError("unknown"))
	_, err = c.Resolve(t.Context(), apikey.New())
	require.True(t, apperr.Is(err, apperr.AuthInvalidKey))
}
