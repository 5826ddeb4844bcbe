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
	encoded, err := h.hash(t.Context(), lane{}, "correct horse")
	require.NoError(t, err)
	require.Regexp(t, `^\$argon2id\$v=19\$m=47104,t=1,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$`, encoded)
	ok, err := h.matches(t.Context(), lane{}, encoded, "correct horse")
	require.NoError(t, err)
	require.True(t, ok)
	ok, err = h.matches(t.Context(), lane{}, encoded, "correct horsf")
	require.NoError(t, err)
	require.False(t, ok)
}

func TestDamagedHashesAreErrors(t *testing.T) {
	h := newHasher()
	for _, encoded := range []string{
		"", "$argon2id$v=19$m=1,t=1,p=1$AAAA$AAAA", hashHead + "!$AAAA", hashHead + "AAAA$AAAA", hashHead + "AAAA",
	} {
		_, err := h.matches(t.Context(), lane{}, encoded, "")
		require.Error(t, err, encoded)
	}
}

func TestHashesWaitTheirTurnAndNoLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHasher()
		for range hashesAtOnce {
			h.running <- struct{}{}
		}
		ctx, cancel := context.WithCancel(t.Context())
		errs := make(chan error, hashesWaiting)
		wait := func(times int, l lane) {
			for range times {
				go func() {
					_, err := h.hash(ctx, l, "correct horse")
					errs <- err
				}()
			}
			synctest.Wait()
		}
		refused := func(l lane) {
			_, err := h.hash(t.Context(), l, "correct horse")
			requireOverloaded(t, err)
		}
		wait(laneWaiting, lane{name: "a"})
		_, err := h.hash(t.Context(), lane{name: "a"}, "correct horse")
		requireThrottled(t, err)
		wait(laneWaiting, lane{name: "b"})
		wait(laneWaiting, lane{name: "c"})
		wait(strangersWaiting-3*laneWaiting, lane{name: "d"})
		refused(lane{name: "e"})
		wait(hashesWaiting-strangersWaiting, lane{name: "ada", known: true})
		refused(lane{name: "bob", known: true})
		cancel()
		for range hashesWaiting {
			require.ErrorIs(t, <-errs, context.Canceled)
		}
		require.Zero(t, h.waiting.all)
		require.Empty(t, h.waiting.by)
	})
}

func requireOverloaded(t *testing.T, err error) {
	t.Helper()
	require.Equal(t, apperr.GatewayOverloaded, apperr.CodeOf(err), "%v", err)
	require.Equal(t, hashRetry, apperr.From(err).RetryAfter)
}

func TestAHashDoesNotWaitForever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHasher()
		for range hashesAtOnce {
			h.running <- struct{}{}
		}
		began := time.Now()
		_, err := h.hash(t.Context(), lane{}, "correct horse")
		requireOverloaded(t, err)
		require.Equal(t, hashWait, time.Since(began))
		require.Zero(t, h.waiting.all)
	})
}

func TestClientTextIsShort(t *testing.T) {
	require.Equal(t, "ab", clientText("a\x00\n\xff\u202eb"))
	long := clientText(strings.Repeat("\u00fc", maxClient))
	require.Equal(t, strings.Repeat("\u00fc", maxClient/2), long)
}
