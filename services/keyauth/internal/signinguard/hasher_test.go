package signinguard

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
)

func TestHashIsAPHCString(t *testing.T) {
	h := NewHasher(HashMemory)
	encoded, err := h.Hash(t.Context(), Requester{}, "correct horse")
	require.NoError(t, err)
	require.Regexp(t, `^\$argon2id\$v=19\$m=47104,t=1,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$`, encoded)
	ok, err := h.Matches(t.Context(), Requester{}, encoded, "correct horse")
	require.NoError(t, err)
	require.True(t, ok)
	ok, err = h.Matches(t.Context(), Requester{}, encoded, "correct horsf")
	require.NoError(t, err)
	require.False(t, ok)
}

func TestDamagedHashesAreErrors(t *testing.T) {
	h := NewHasher(HashMemory)
	for _, encoded := range []string{
		"", "$argon2id$v=19$m=1,t=1,p=1$AAAA$AAAA", h.prefix + "!$AAAA", h.prefix + "AAAA$AAAA", h.prefix + "AAAA",
	} {
		_, err := h.Matches(t.Context(), Requester{}, encoded, "")
		require.Error(t, err, encoded)
	}
}

func TestHashesWaitTheirTurnAndNoLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHasher(HashMemory)
		for range maxConcurrentHashes {
			h.running <- struct{}{}
		}
		ctx, cancel := context.WithCancel(t.Context())
		errs := make(chan error, maxWaitingHashes)
		wait := func(times int, l Requester) {
			for range times {
				go func() {
					_, err := h.Hash(ctx, l, "correct horse")
					errs <- err
				}()
			}
			synctest.Wait()
		}
		refused := func(l Requester) {
			_, err := h.Hash(t.Context(), l, "correct horse")
			requireOverloaded(t, err)
		}
		wait(maxWaitingPerRequester, Requester{Name: "a"})
		_, err := h.Hash(t.Context(), Requester{Name: "a"}, "correct horse")
		requireThrottled(t, err)
		wait(maxWaitingPerRequester, Requester{Name: "b"})
		wait(maxWaitingPerRequester, Requester{Name: "c"})
		wait(maxWaitingUnknown-3*maxWaitingPerRequester, Requester{Name: "d"})
		refused(Requester{Name: "e"})
		wait(maxWaitingHashes-maxWaitingUnknown, Requester{Name: "ada", Known: true})
		refused(Requester{Name: "bob", Known: true})
		cancel()
		for range maxWaitingHashes {
			require.ErrorIs(t, <-errs, context.Canceled)
		}
		require.Zero(t, h.waiting.total)
		require.Empty(t, h.waiting.byRequester)
	})
}

func requireOverloaded(t *testing.T, err error) {
	t.Helper()
	require.Equal(t, apperr.GatewayOverloaded, apperr.CodeOf(err), "%v", err)
	require.Equal(t, hashRetryAfter, apperr.From(err).RetryAfter)
}

func TestAHashDoesNotWaitForever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHasher(HashMemory)
		for range maxConcurrentHashes {
			h.running <- struct{}{}
		}
		began := time.Now()
		_, err := h.Hash(t.Context(), Requester{}, "correct horse")
		requireOverloaded(t, err)
		require.Equal(t, hashWait, time.Since(began))
		require.Zero(t, h.waiting.total)
	})
}
