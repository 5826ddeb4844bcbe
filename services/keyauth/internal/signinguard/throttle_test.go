package signinguard

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
)

func (t *Throttle) miss(email, address string) error {
	return t.RunGuess(email, address, func(Requester) error { return apperr.New(apperr.LoginFailed, "wrong") })
}

func (t *Throttle) hit(email, address string) error {
	return t.RunGuess(email, address, func(Requester) error { return nil })
}

func requireMiss(t *testing.T, err error) {
	t.Helper()
	require.Equal(t, apperr.LoginFailed, apperr.CodeOf(err), "%v", err)
}

func requireThrottled(t *testing.T, err error) {
	t.Helper()
	require.Equal(t, apperr.TooManyAttempts, apperr.CodeOf(err), "%v", err)
	require.Positive(t, apperr.From(err).RetryAfter)
}

// inTime runs a test with a fake clock.
func inTime(t *testing.T, test func(t *testing.T, th *Throttle)) {
	synctest.Test(t, func(t *testing.T) { test(t, NewThrottle()) })
}

func TestOneAddressGuessesAtOneEmailSlowly(t *testing.T) {
	inTime(t, func(t *testing.T, th *Throttle) {
		for range pairRate.burst {
			requireMiss(t, th.miss("ada", "192.0.2.1"))
		}
		for range 3 {
			err := th.hit("ada", "192.0.2.1")
			requireThrottled(t, err)
			require.Equal(t, pairRate.interval, apperr.From(err).RetryAfter, "a refused attempt costs nothing")
		}
		require.NoError(t, th.hit("ada", "192.0.2.2"), "the owner is elsewhere")
	})
}

func TestOneAddressSpraysManyEmailsSlowly(t *testing.T) {
	inTime(t, func(t *testing.T, th *Throttle) {
		for n := range addressRate.burst {
			requireMiss(t, th.miss(fmt.Sprint(n), "192.0.2.1"))
		}
		requireThrottled(t, th.miss("another", "192.0.2.1"))
		requireThrottled(t, th.miss("", "192.0.2.1"))
		requireMiss(t, th.miss("another", "192.0.2.2"))
	})
}

func TestGuessesFromEverywhereDoNotKeepTheOwnerOut(t *testing.T) {
	inTime(t, func(t *testing.T, th *Throttle) {
		require.NoError(t, th.hit("ada", "192.0.2.1"))
		for n := range emailRate.burst {
			requireMiss(t, th.miss("ada", fmt.Sprint("198.51.100.", n)))
		}
		requireThrottled(t, th.miss("ada", "203.0.113.1"))
		require.NoError(t, th.hit("ada", "192.0.2.1"), "from where the owner has signed in before")
		for range pairRate.burst {
			requireMiss(t, th.miss("ada", "192.0.2.1"))
		}
		requireThrottled(t, th.miss("ada", "192.0.2.1"))
	})
}

// Guesses from the owner's address must not lock the owner out.
func TestSprayDoesNotThrottleKnownPairs(t *testing.T) {
	inTime(t, func(t *testing.T, th *Throttle) {
		require.NoError(t, th.hit("ada", "192.0.2.1"))
		th.RememberPair("bob", "192.0.2.1")
		for n := range addressRate.burst {
			requireMiss(t, th.miss(fmt.Sprint(n), "192.0.2.1"))
		}
		requireThrottled(t, th.hit("eve", "192.0.2.1"))
		require.NoError(t, th.hit("ada", "192.0.2.1"))
		require.NoError(t, th.hit("bob", "192.0.2.1"))
		for range pairRate.burst {
			requireMiss(t, th.miss("ada", "192.0.2.1"))
		}
		requireThrottled(t, th.miss("ada", "192.0.2.1"))
	})
}

func TestKnownUsersHaveTheirOwnShareOfTheQueue(t *testing.T) {
	inTime(t, func(t *testing.T, th *Throttle) {
		lanes := map[Requester]bool{}
		note := func(l Requester) error {
			lanes[l] = true
			return nil
		}
		for range 2 {
			require.NoError(t, th.RunGuess("ada", "192.0.2.1", note))
		}
		require.NoError(t, th.RunGuess("", "192.0.2.2", note))
		require.Equal(t, map[Requester]bool{{Name: "192.0.2.1"}: true, {"ada 192.0.2.1", true}: true, {Name: "192.0.2.2"}: true}, lanes)
	})
}

func TestSuccessIsNotCounted(t *testing.T) {
	inTime(t, func(t *testing.T, th *Throttle) {
		for n := range 5 * addressRate.burst {
			require.NoError(t, th.hit(fmt.Sprint(n), "192.0.2.1"))
			require.NoError(t, th.hit("ada", "192.0.2.1"))
		}
		boom := errors.New("boom")
		for range 5 * addressRate.burst {
			require.ErrorIs(t, th.RunGuess("bob", "192.0.2.1", func(Requester) error { return boom }), boom, "nor does a failure of ours")
		}
		requireMiss(t, th.miss("bob", "192.0.2.1"))
	})
}

func TestGuessesAtTheSameTimeAreCounted(t *testing.T) {
	inTime(t, func(t *testing.T, th *Throttle) {
		release := make(chan struct{})
		errs := make(chan error)
		for range 3 * pairRate.burst {
			go func() {
				errs <- th.RunGuess("ada", "", func(Requester) error {
					<-release
					return apperr.New(apperr.LoginFailed, "wrong")
				})
			}()
		}
		for range 2 * pairRate.burst {
			requireThrottled(t, <-errs)
		}
		close(release)
		for range pairRate.burst {
			requireMiss(t, <-errs)
		}
	})
}

func TestThrottleIsBounded(t *testing.T) {
	inTime(t, func(t *testing.T, th *Throttle) {
		for i := range 2 * maxThrottled {
			requireMiss(t, th.miss(fmt.Sprint(i), fmt.Sprint("a", i)))
			require.NoError(t, th.hit(fmt.Sprint(i), fmt.Sprint("b", i)))
			require.NoError(t, th.CountNewAccount(fmt.Sprint("c", i)))
			require.NoError(t, th.CountLinkCheck(fmt.Sprint("d", i)))
		}
		for _, n := range []int{len(th.pairs.byName), len(th.emails.byName), len(th.addresses.byName), len(th.newAccounts.byName), len(th.links.byName), len(th.known)} {
			require.LessOrEqual(t, n, maxThrottled)
		}
	})
}

func TestNewAccountsAreSlowedDown(t *testing.T) {
	inTime(t, func(t *testing.T, th *Throttle) {
		for range newAccountRate.burst {
			require.NoError(t, th.CountNewAccount("192.0.2.1"))
		}
		requireThrottled(t, th.CountNewAccount("192.0.2.1"))
		require.NoError(t, th.CountNewAccount("192.0.2.2"))
		for range 100 {
			require.NoError(t, th.CountNewAccount(thisMachine))
		}
		err := th.CountNewAccount(thisMachine)
		requireThrottled(t, err)
		require.Equal(t, time.Second, apperr.From(err).RetryAfter)
	})
}

func TestClientAddress(t *testing.T) {
	for client, want := range map[string]string{
		"":                                "",
		"browser":                         "",
		"Mozilla/5.0 (X11) 192.0.2.1":     "192.0.2.1",
		"198.51.100.9 192.0.2.1":          "192.0.2.1",
		"browser ::ffff:192.0.2.1":        "192.0.2.1",
		"browser 2001:db8:1:2:3:4:5:6":    "2001:db8:1:2::/64",
		"browser fe80::1%eth0":            "fe80::/64",
		"browser 127.0.0.1":               thisMachine,
		"browser 127.1.2.3":               thisMachine,
		"browser ::1":                     thisMachine,
		"browser 192.0.2.1, 198.51.100.9": "198.51.100.9",
	} {
		require.Equal(t, want, ClientAddress(client), client)
	}
}
