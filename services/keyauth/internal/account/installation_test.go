package account_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/keyauth/internal/account"
)

func TestInstallationIsUnclaimedUntilItHasAnOwner(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		state := func() account.Installation {
			i, err := w.Installation(t.Context())
			require.NoError(t, err)
			return i
		}
		require.Equal(t, account.Installation{Unclaimed: true, RegistrationOpen: true}, state(), "there is no operator's account")
		made, err := w.Bootstrap(t.Context(), "")
		require.NoError(t, err)
		require.True(t, state().Unclaimed)
		_, err = w.Claim(t.Context(), made.ClaimToken, account.SignInRequest{Email: "op@example.com", Password: "correct horse"})
		require.NoError(t, err)
		require.False(t, state().Unclaimed)
	})
	for _, closed := range []account.Registration{account.RegistrationInvite, account.RegistrationClosed} {
		i, err := newWorld(t, closed).Installation(t.Context())
		require.NoError(t, err)
		require.False(t, i.RegistrationOpen, closed)
	}
}
