package grpcapi_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/testkit/testenv"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

const dollar = 1_000_000_000

func today() string { return time.Now().UTC().Format(time.DateOnly) }

func (c client) update(t *testing.T, actor *keyauthv1.Actor, a *keyauthv1.Account, paths ...string) *keyauthv1.Account {
	t.Helper()
	got, err := c.UpdateAccount(t.Context(), &keyauthv1.UpdateAccountRequest{
		Actor: actor, Account: a, Mask: &fieldmaskpb.FieldMask{Paths: paths},
	})
	require.NoError(t, err)
	return got.GetAccount()
}

func (c client) report(t *testing.T, actor *keyauthv1.Actor, keyID string, nano int64) {
	t.Helper()
	_, err := c.ReportSpend(t.Context(), &keyauthv1.ReportSpendRequest{Spend: []*keyauthv1.Spend{
		{AccountId: actor.GetAccountId(), KeyId: keyID, Day: today(), NanoUsd: nano},
	}})
	require.NoError(t, err)
}

// nextSpent returns the next message with spend.
func (w *keyWatch) nextSpent(t *testing.T) []*keyauthv1.Spent {
	t.Helper()
	for {
		m, err := w.stream.Recv()
		require.NoError(t, err)
		require.GreaterOrEqual(t, m.GetVersion(), w.version)
		w.version = m.GetVersion()
		if len(m.GetSpent()) > 0 {
			return m.GetSpent()
		}
	}
}

func requireSpent(t *testing.T, got []*keyauthv1.Spent, actor *keyauthv1.Actor, want map[string]int64) {
	t.Helper()
	require.Len(t, got, len(want))
	for keyID, nano := range want {
		one := &keyauthv1.Spent{AccountId: actor.GetAccountId(), KeyId: keyID, Day: today(), DayNanoUsd: nano, MonthNanoUsd: nano}
		require.True(t, slices.ContainsFunc(got, func(s *keyauthv1.Spent) bool { return proto.Equal(s, one) }), "%v of %v", one, got)
	}
}

func TestAccountLimitsAreSent(t *testing.T) {
	c := serve(t, newURL(t))
	actor, secret := c.bootstrapped(t)
	v, err := c.VerifyKey(t.Context(), digestOf(secret))
	require.NoError(t, err)
	require.Nil(t, v.GetPrincipal().GetAccountLimits())
	w := c.watch(t, 0)
	want := &keyauthv1.Limits{RequestsPerMinute: 1, TokensPerMinute: 2, ConcurrentRequests: 3, NanoUsdPerDay: 4, NanoUsdPerMonth: 5}
	got := c.update(t, actor, &keyauthv1.Account{Limits: want}, "limits")
	require.True(t, proto.Equal(want, got.GetLimits()))
	require.Empty(t, w.next(t).GetKeyId(), "all keys of the account are out of date")
	v, err = c.VerifyKey(t.Context(), digestOf(secret))
	require.NoError(t, err)
	require.True(t, proto.Equal(want, v.GetPrincipal().GetAccountLimits()))
	want.NanoUsdPerDay = 0
	got = c.update(t, actor, &keyauthv1.Account{}, "limits.nano_usd_per_day")
	require.True(t, proto.Equal(want, got.GetLimits()))
}

func TestSpendIsSent(t *testing.T) {
	c := serve(t, newURL(t))
	actor, secret := c.bootstrapped(t)
	id := c.keyID(t, secret)
	w := c.watch(t, 0)
	c.report(t, actor, id, dollar)
	c.update(t, actor, &keyauthv1.Account{Limits: &keyauthv1.Limits{NanoUsdPerDay: 9 * dollar}}, "limits")
	requireSpent(t, w.nextSpent(t), actor, map[string]int64{"": dollar})
	_, err := c.UpdateKey(t.Context(), &keyauthv1.UpdateKeyRequest{
		Actor: actor, KeyId: id, Settings: &keyauthv1.KeySettings{Limits: &keyauthv1.Limits{NanoUsdPerMonth: 9 * dollar}},
		Mask: &fieldmaskpb.FieldMask{Paths: []string{"limits"}},
	})
	require.NoError(t, err)
	requireSpent(t, w.nextSpent(t), actor, map[string]int64{id: dollar})
	c.report(t, actor, id, 2*dollar)
	requireSpent(t, w.nextSpent(t), actor, map[string]int64{"": 2 * dollar, id: 2 * dollar})
	requireSpent(t, c.watch(t, 0).nextSpent(t), actor, map[string]int64{"": 2 * dollar, id: 2 * dollar})
	requireSpent(t, c.watch(t, w.version).nextSpent(t), actor, map[string]int64{"": 2 * dollar, id: 2 * dollar})
	_, err = c.ReportSpend(t.Context(), &keyauthv1.ReportSpendRequest{Spend: make([]*keyauthv1.Spend, 1001)})
	requireCode(t, apperr.InvalidRequest, err)
}

// A proxy that learns of the budget first would start counting at zero until the
// next report of the ledger.
func TestSpendIsSentBeforeTheBudget(t *testing.T) {
	c := serve(t, newURL(t))
	actor, secret := c.bootstrapped(t)
	w := c.watch(t, 0)
	c.report(t, actor, c.keyID(t, secret), dollar)
	for n := range int64(20) {
		before := w.version
		c.update(t, actor, &keyauthv1.Account{Limits: &keyauthv1.Limits{NanoUsdPerDay: (n + 2) * dollar}}, "limits")
		requireSpent(t, w.nextSpent(t), actor, map[string]int64{"": dollar})
		require.Equal(t, before, w.version)
		require.Equal(t, actor.GetAccountId(), w.next(t).GetAccountId())
	}
}

func TestInstancesSendSpendOfEachOther(t *testing.T) {
	url := testenv.Postgres(t)
	here, there := serve(t, url), serve(t, url)
	actor, secret := there.bootstrapped(t)
	id := there.keyID(t, secret)
	w := here.watch(t, 0)
	there.update(t, actor, &keyauthv1.Account{Limits: &keyauthv1.Limits{NanoUsdPerDay: 9 * dollar}}, "limits")
	there.report(t, actor, id, dollar)
	requireSpent(t, w.nextSpent(t), actor, map[string]int64{"": dollar})
	here.report(t, actor, id, 2*dollar)
	requireSpent(t, w.nextSpent(t), actor, map[string]int64{"": 2 * dollar})
}

// This test uses a fake clock, so its times are exact.
func TestSpendIsSentSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		url := newURL(t)
		here, there := serve(t, url), serve(t, url)
		actor, secret := there.bootstrapped(t)
		id := here.keyID(t, secret)
		there.update(t, actor, &keyauthv1.Account{Limits: &keyauthv1.Limits{NanoUsdPerDay: 9 * dollar}}, "limits")
		own, other := here.watch(t, 0), there.watch(t, 0)
		synctest.Wait()
		began := time.Now()
		here.report(t, actor, id, dollar)
		own.nextSpent(t)
		require.Zero(t, time.Since(began))
		other.nextSpent(t)
		require.LessOrEqual(t, time.Since(began), 200*time.Millisecond)
	})
}

func TestWebhookOfAnAccount(t *testing.T) {
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) }))
	defer hook.Close()
	c := serve(t, newURL(t))
	reg, err := c.Register(t.Context(), &keyauthv1.RegisterRequest{Email: "ada@example.com", Password: "correct horse"})
	require.NoError(t, err)
	me := reg.GetSignIn().GetIdentity()
	actor := &keyauthv1.Actor{AccountId: me.GetAccount().GetId(), UserId: me.GetUser().GetId()}
	_, err = c.TestWebhook(t.Context(), &keyauthv1.TestWebhookRequest{Actor: actor})
	requireCode(t, apperr.InvalidRequest, err)
	got := c.update(t, actor, &keyauthv1.Account{WebhookUrl: hook.URL + "/secret"}, "webhook_url")
	require.Equal(t, hook.URL+"/secret", got.GetWebhookUrl())
	require.False(t, got.GetWebhookSigned())
	secret, err := c.RotateWebhookSecret(t.Context(), &keyauthv1.RotateWebhookSecretRequest{Actor: actor})
	require.NoError(t, err)
	require.NotEmpty(t, secret.GetSecret())
	read, err := c.GetAccount(t.Context(), &keyauthv1.GetAccountRequest{Actor: actor})
	require.NoError(t, err)
	require.True(t, read.GetAccount().GetWebhookSigned())
	tested, err := c.TestWebhook(t.Context(), &keyauthv1.TestWebhookRequest{Actor: actor})
	require.NoError(t, err)
	require.True(t, proto.Equal(&keyauthv1.TestWebhookResponse{Status: http.StatusAccepted}, tested))
	session, err := c.GetSession(t.Context(), &keyauthv1.GetSessionRequest{Token: reg.GetSignIn().GetToken()})
	require.NoError(t, err)
	require.Equal(t, hook.URL+"/", session.GetIdentity().GetAccount().GetWebhookUrl(), "a session must not contain a secret")
}
