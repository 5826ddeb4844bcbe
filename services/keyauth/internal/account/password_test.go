package account

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
)

func TestHashIsAPHCString(t *testing.T) {
	h := newHasher()
	encoded, err := h.hash(t.Context(), requester{}, "correct horse")
	require.NoError(t, err)
	require.Regexp(t, `^\$argon2id\$v=19\$m=47104,t=1,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$`, encoded)
	ok, err := h.matches(t.Context(), requester{}, encoded, "correct horse")
	require.NoError(t, err)
	require.True(t, ok)
	ok, err = h.matches(t.Context(), requester{}, encoded, "correct horsf")
	require.NoError(t, err)
	require.False(t, ok)
}

func TestDamagedHashesAreErrors(t *testing.T) {
	h := newHasher()
	for _, encoded := range []string{
		"", "$argon2id$v=19$m=1,t=1,p=1$AAAA$AAAA", hashPrefix + "!$AAAA", hashPrefix + "AAAA$AAAA", hashPrefix + "AAAA",
	} {
		_, err := h.matches(t.Context(), requester{}, encoded, "")
		require.Error(t, err, encoded)
	}
}

func TestHashesWaitTheirTurnAndNoLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHasher()
		for range maxConcurrentHashes {
			h.running <- struct{}{}
		}
		ctx, cancel := context.WithCancel(t.Context())
		errs := make(chan error, maxWaitingHashes)
		wait := func(times int, l requester) {
			for range times {
				go func() {
					_, err := h.hash(ctx, l, "correct horse")
					errs <- err
				}()
			}
			synctest.Wait()
		}
		refused := func(l requester) {
			_, err := h.hash(t.Context(), l, "correct horse")
			requireOverloaded(t, err)
		}
		wait(maxWaitingPerRequester, requester{name: "a"})
		_, err := h.hash(t.Context(), requester{name: "a"}, "correct horse")
		requireThrottled(t, err)
		wait(maxWaitingPerRequester, requester{name: "b"})
		wait(maxWaitingPerRequester, requester{name: "c"})
		wait(maxWaitingUnknown-3*maxWaitingPerRequester, requester{name: "d"})
		refused(requester{name: "e"})
		wait(maxWaitingHashes-maxWaitingUnknown, requester{name: "ada", known: true})
		refused(requester{name: "bob", known: true})
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
		h := newHasher()
		for range maxConcurrentHashes {
			h.running <- struct{}{}
		}
		began := time.Now()
		_, err := h.hash(t.Context(), requester{}, "correct horse")
		requireOverloaded(t, err)
		require.Equal(t, hashWait, time.Since(began))
		require.Zero(t, h.waiting.total)
	})
}

func TestSanitizeClientTruncates(t *testing.T) {
	require.Equal(t, "ab", sanitizeClient("a\x00\n\xff\u202eb"))
	long := sanitizeClient(strings.Repeat("\u00fc", maxClientLength))
	require.Equal(t, strings.Repeat("\u00fc", maxClientLength/2), long)
}
