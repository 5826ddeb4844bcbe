package keys

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/apperr"
)

func TestAnUnknownKeyRidesOutARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc, c, key := setup(t)
		svc.set(nil, errRefused)
		back := time.AfterFunc(lookupTimeout/2, func() { svc.set(active(1), nil) })
		defer back.Stop()
		resolves(t, c, key)
		require.Less(t, svc.asked, 10, "and the service is not hammered")
	})
}

func TestAKnownKeyDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc, c, key := setup(t)
		resolves(t, c, key)
		<-time.After(softAge)
		svc.set(nil, errRefused)
		began := time.Now()
		resolves(t, c, key)
		require.Zero(t, time.Since(began))
	})
}

func TestWaitingCallersAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &moody{}
		svc.set(active(1), nil)
		c, known := NewCache(svc, time.Now), apikey.New()
		resolves(t, c, known)
		svc.hangs.Store(true)
		waited := make(chan error, maxLookups)
		one := apikey.New()
		for range maxLookups {
			go func() {
				_, err := c.Resolve(t.Context(), one)
				waited <- err
			}()
		}
		synctest.Wait()
		began := time.Now()
		fails(t, c, apikey.New(), apperr.AuthUnavailable)
		resolves(t, c, known)
		require.Zero(t, time.Since(began))

		for range maxLookups {
			require.Equal(t, apperr.AuthUnavailable, apperr.CodeOf(<-waited))
		}
		svc.hangs.Store(false)
		resolves(t, c, apikey.New())
	})
}

func TestADisconnectedCallerStopsWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewCache(hanging{}, time.Now)
		ctx, cancel := context.WithTimeout(t.Context(), lookupTimeout/4)
		defer cancel()
		began := time.Now()
		_, err := c.Resolve(ctx, apikey.New())
		require.Error(t, err)
		require.Equal(t, lookupTimeout/4, time.Since(began))
		require.Empty(t, c.lookupSlots)
		<-time.After(lookupTimeout) // the question goes on for others
	})
}

// However many callers use the same unknown key, the service is called once, and all callers share
// the response.
func TestACrowdWithOneKeyAsksOnce(t *testing.T) {
	const crowd = maxLookups
	for name, answer := range map[string]error{"good": nil, "bad": invalidKeyError("unknown")} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				svc, c, key := setup(t)
				release := make(chan struct{})
				svc.answer = func() (*Principal, error) {
					<-release
					return active(1), answer
				}
				answers := make(chan error, crowd)
				for range crowd {
					go func() {
						_, err := c.Resolve(t.Context(), key)
						answers <- err
					}()
				}
				synctest.Wait()
				close(release)
				for range crowd {
					require.Equal(t, apperr.CodeOf(answer), apperr.CodeOf(<-answers))
				}
				require.Equal(t, 1, svc.asked)
			})
		})
	}
}

// A caller that looked into the cache before the response arrived, and then asks after the others
// have their response, causes no second call.
func TestALateCallerWithTheSameKeyAsksNothing(t *testing.T) {
	for name, answer := range map[string]error{"good": nil, "bad": invalidKeyError("unknown")} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				svc, c, key := setup(t)
				svc.set(active(1), answer)
				_, err := c.Resolve(t.Context(), key)
				require.Equal(t, apperr.CodeOf(answer), apperr.CodeOf(err))
				_, err = c.verifyShared(t.Context(), apikey.DigestOf(key), c.verifyWithRetries)
				require.Equal(t, apperr.CodeOf(answer), apperr.CodeOf(err))
				require.Equal(t, 1, svc.asked)
			})
		})
	}
}
