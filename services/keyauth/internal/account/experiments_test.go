package account_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

// Experiments send the text of requests to further models, so only an owner can allow them,
// and the audit trail shows it.
func TestOnlyAnOwnerAllowsExperiments(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	owner := w.newOwner(t)
	made, err := w.Keys.Create(t.Context(), owner, setting.Key{Name: "k"})
	require.NoError(t, err)
	allowed := func() bool {
		c, err := w.Keys.Verify(t.Context(), apikey.DigestOf(made.Secret))
		require.NoError(t, err)
		return c.AllowExperiments
	}
	require.False(t, allowed(), "off by default")

	mask := []string{"allow_experiments"}
	for _, role := range []access.Role{access.Viewer, access.Member} {
		_, err := w.UpdateAccount(t.Context(), w.newActor(t, owner.AccountID, role), access.Account{AllowExperiments: true}, mask)
		require.Equal(t, apperr.AuthForbidden, apperr.CodeOf(err))
	}
	require.False(t, allowed())
	before := len(w.trail(t, owner.AccountID))
	a, err := w.UpdateAccount(t.Context(), owner, access.Account{AllowExperiments: true}, mask)
	require.NoError(t, err)
	require.True(t, a.AllowExperiments)
	require.True(t, allowed())
	trail := w.trail(t, owner.AccountID)
	require.Len(t, trail, before+1)
	require.JSONEq(t, `{"allow_experiments":true}`, trail[0].After)
}
