package account_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
	"github.com/signalbox/signalbox/services/keyauth/internal/keyring"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

var everyLimit = setting.Limits{
	RequestsPerMinute: 1, TokensPerMinute: 2, ConcurrentRequests: 3, NanoUSDPerDay: 4, NanoUSDPerMonth: 5,
}

func TestAnAccountHasLimits(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		owner := w.newOwner(t)
		made, err := w.Keys.Create(t.Context(), owner, setting.Key{Name: "k", Limits: setting.Limits{TokensPerMinute: 9}})
		require.NoError(t, err)
		head, err := w.Keys.Head(t.Context())
		require.NoError(t, err)
		_, err = w.UpdateAccount(t.Context(), owner, access.Account{Limits: everyLimit}, []string{"limits"})
		require.NoError(t, err)
		changes, err := w.Keys.Changes(t.Context(), head)
		require.NoError(t, err)
		require.Equal(t, []keyring.Change{{Version: head + 1, AccountID: owner.AccountID}}, changes, "all its keys are out of date")
		p, err := w.verify(t, made.Secret)
		require.NoError(t, err)
		require.Equal(t, everyLimit, p.AccountLimits)
		require.Equal(t, setting.Limits{TokensPerMinute: 9}, p.Settings.Limits, "the key's stay its own")

		values := access.Account{Limits: setting.Limits{RequestsPerMinute: 7, TokensPerMinute: 8}}
		got, err := w.UpdateAccount(t.Context(), owner, values, []string{"limits.tokens_per_minute"})
		require.NoError(t, err)
		want := everyLimit
		want.TokensPerMinute = 8
		require.Equal(t, want, got.Limits)
		requireChange(t, w.trail(t, owner.AccountID), "account.update", `{"limits.tokens_per_minute":2}`, `{"limits.tokens_per_minute":8}`)
	})
}

func TestLimitsAreBounded(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	owner := w.newOwner(t)
	for _, bad := range []setting.Limits{
		{RequestsPerMinute: -1}, {TokensPerMinute: -1}, {ConcurrentRequests: -1}, {NanoUSDPerDay: -1}, {NanoUSDPerMonth: -1},
		{RequestsPerMinute: math.MaxInt64}, {TokensPerMinute: math.MaxInt64}, {ConcurrentRequests: math.MaxInt64},
		{NanoUSDPerDay: setting.MaxBudget + 1}, {NanoUSDPerMonth: setting.MaxBudget + 1},
	} {
		_, err := w.UpdateAccount(t.Context(), owner, access.Account{Limits: bad}, []string{"limits"})
		requireParam(t, "limits", err)
		_, err = w.Keys.Create(t.Context(), owner, setting.Key{Name: "k", Limits: bad})
		requireParam(t, "limits", err)
	}
	_, err := w.UpdateAccount(t.Context(), owner, access.Account{}, []string{"limits.dollars"})
	requireParam(t, "mask", err)
	member := w.newActor(t, owner.AccountID, access.Member)
	_, err = w.UpdateAccount(t.Context(), member, access.Account{Limits: everyLimit}, []string{"limits"})
	requireCode(t, apperr.AuthForbidden, err)
}

// A registered user gets the default budget and cannot raise it.
func TestNewAccountsStartWithTheDefaultBudget(t *testing.T) {
	const usual = 100
	w := newWorld(t, account.RegistrationOpen).with(t, func(c *account.Config) { c.DefaultBudget = usual })
	in, err := w.Register(t.Context(), person("ada@example.com"), "")
	require.NoError(t, err)
	require.Equal(t, setting.Limits{NanoUSDPerMonth: usual}, in.Identity.Account.Limits)
	require.Contains(t, w.trail(t, in.Identity.Account.ID)[0].After, `"limits.nano_usd_per_month":100`)

	set := func(actor access.Actor, budget int64) error {
		_, err := w.UpdateAccount(t.Context(), actor, access.Account{Limits: setting.Limits{NanoUSDPerMonth: budget}}, []string{"limits"})
		return err
	}
	ada, operator := actorOf(in), access.Actor{AccountID: in.Identity.Account.ID}
	for _, more := range []int64{0, usual + 1} {
		requireCode(t, apperr.AuthForbidden, set(ada, more))
	}
	require.NoError(t, set(ada, 1))
	require.NoError(t, set(ada, usual))
	require.NoError(t, set(operator, 10*usual))
	require.NoError(t, set(ada, 9*usual))
	requireCode(t, apperr.AuthForbidden, set(ada, 10*usual))
	require.NoError(t, set(operator, 0))

	_, err = w.Bootstrap(t.Context(), "")
	require.NoError(t, err)
	op, err := w.store.Operator(t.Context())
	require.NoError(t, err)
	require.Zero(t, op.Limits, "it is the operator's money")
	invite, err := w.InviteAccount(t.Context(), access.Actor{AccountID: op.ID})
	require.NoError(t, err)
	guest, err := w.AcceptInvite(t.Context(), invite.Token, person("bob@example.com"), "")
	require.NoError(t, err)
	require.EqualValues(t, usual, guest.Identity.Account.Limits.NanoUSDPerMonth)
}
