package control

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/rpc"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/proxy/internal/keys"
	"github.com/signalbox/signalbox/services/proxy/internal/limits"
)

const patience = 20 * time.Second

// keyauth accepts every key and pushes only its version.
type keyauth struct {
	keyauthv1.UnimplementedKeyAuthServiceServer
	head    atomic.Int64
	asked   atomic.Int64
	watched chan int64
	// hangUp ends the watch that receives it.
	hangUp chan struct{}
	// spent is sent with the first message of a watch.
	spent []*keyauthv1.Spent
	// told is what reached the budgets.
	told chan string
}

func (k *keyauth) SetStoredSpend(accountID, keyID, day string, dayNano, monthNano int64) {
	k.told <- fmt.Sprint(accountID, " ", keyID, " ", day, " ", dayNano, " ", monthNano)
}

func (k *keyauth) SetStoredGroupSpend(accountID, budget, period string, nanoUSD int64) {
	k.told <- fmt.Sprint(accountID, " ", budget, " ", period, " ", nanoUSD)
}

func (k *keyauth) VerifyKey(context.Context, *keyauthv1.VerifyKeyRequest) (*keyauthv1.VerifyKeyResponse, error) {
	k.asked.Add(1)
	return &keyauthv1.VerifyKeyResponse{Principal: &keyauthv1.Principal{
		KeyId: "k", State: keyauthv1.KeyState_KEY_STATE_ACTIVE, Version: k.head.Load(),
	}}, nil
}

func (k *keyauth) WatchKeys(r *keyauthv1.WatchKeysRequest, s keyauthv1.KeyAuthService_WatchKeysServer) error {
	k.watched <- r.GetSinceVersion()
	if r.GetSinceVersion() > k.head.Load() {
		return apperr.New(apperr.InvalidRequest, "no such version")
	}
	if err := s.Send(&keyauthv1.WatchKeysResponse{Version: k.head.Load(), Spent: k.spent}); err != nil {
		return err
	}
	select {
	case <-k.hangUp:
	case <-s.Context().Done():
	}
	return nil
}

// follow starts the service and a cache that follows it.
func (k *keyauth) follow(t *testing.T, now func() time.Time) (*Keys, *keys.Cache) {
	t.Helper()
	net := rpc.NewMemory()
	srv := rpc.NewServer(rpc.ServerConfig{})
	keyauthv1.RegisterKeyAuthServiceServer(srv.Registrar(), k)
	conn, err := net.Dial(rpc.ClientConfig{})
	require.NoError(t, err)
	client := NewKeys(keyauthv1.NewKeyAuthServiceClient(conn), slog.New(slog.DiscardHandler))
	cache := keys.NewCache(client, now)
	cache.SetTimeouts(keys.Timeouts{Verify: patience, Lookup: patience}) // the machine may be slow
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { _ = srv.Serve(ctx, net.Listener()) })
	wg.Go(func() { client.Follow(ctx, cache, k) })
	t.Cleanup(func() {
		cancel()
		wg.Wait()
		require.NoError(t, conn.Close())
	})
	return client, cache
}

func TestKeysAgeOnceTheWatchBroke(t *testing.T) {
	var later atomic.Int64
	now := func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
	svc := &keyauth{watched: make(chan int64), hangUp: make(chan struct{})}
	svc.head.Store(5)
	client, cache := svc.follow(t, now)
	require.Zero(t, <-svc.watched)
	require.Eventually(t, client.IsUp, patience, time.Millisecond)
	key := apikey.New()
	for range 2 {
		_, err := cache.Resolve(t.Context(), key)
		require.NoError(t, err)
		later.Add(int64(time.Minute))
	}
	require.EqualValues(t, 1, svc.asked.Load())

	svc.hangUp <- struct{}{}
	require.Eventually(t, func() bool { return !client.IsUp() }, patience, time.Millisecond)
	_, err := cache.Resolve(t.Context(), key)
	require.NoError(t, err)
	require.EqualValues(t, 2, svc.asked.Load())

	svc.head.Store(3)
	require.EqualValues(t, 5, <-svc.watched, "it goes on where it stopped")
	require.Zero(t, <-svc.watched, "and begins anew with a store that was replaced")
}

func TestBudgetsReceiveTheStoredSpending(t *testing.T) {
	svc := &keyauth{watched: make(chan int64, 1), told: make(chan string, 3), spent: []*keyauthv1.Spent{
		{AccountId: "a", KeyId: "k", Day: "2026-11-15", DayNanoUsd: 1, MonthNanoUsd: 2},
		{AccountId: "a", Day: "2026-11-15", DayNanoUsd: 3, MonthNanoUsd: 4},
		{AccountId: "a", Budget: "b/ada", Period: "2026-W46", NanoUsd: 5},
	}}
	svc.follow(t, time.Now)
	require.Equal(t, "a k 2026-11-15 1 2", <-svc.told)
	require.Equal(t, "a  2026-11-15 3 4", <-svc.told)
	require.Equal(t, "a b/ada 2026-W46 5", <-svc.told)
}

func TestAPrincipalHasTheLimitsOfItsKeyAndItsAccount(t *testing.T) {
	of := func(n int64) *keyauthv1.Limits {
		return &keyauthv1.Limits{RequestsPerMinute: n, TokensPerMinute: n + 1, ConcurrentRequests: n + 2, NanoUsdPerDay: n + 3, NanoUsdPerMonth: n + 4}
	}
	p := toPrincipal(&keyauthv1.Principal{Settings: &keyauthv1.KeySettings{Limits: of(1)}, AccountLimits: of(10)})
	require.Equal(t, limits.Set{RequestsPerMinute: 1, TokensPerMinute: 2, Concurrent: 3, NanoUSDPerDay: 4, NanoUSDPerMonth: 5}, p.Limits)
	require.Equal(t, limits.Set{RequestsPerMinute: 10, TokensPerMinute: 11, Concurrent: 12, NanoUSDPerDay: 13, NanoUSDPerMonth: 14}, p.AccountLimits)
	require.Zero(t, toPrincipal(&keyauthv1.Principal{}).AccountLimits)
}

func TestAPrincipalHasItsGroupBudgetsAndPins(t *testing.T) {
	p := toPrincipal(&keyauthv1.Principal{
		Settings: &keyauthv1.KeySettings{User: "ada", Agent: "ci-bot"},
		Budgets: []*keyauthv1.Budget{{Id: "1", Name: "team", Kind: "tag", Value: "eu", Amounts: &keyauthv1.BudgetAmounts{
			NanoUsdPerHour: 1, NanoUsdPerDay: 2, NanoUsdPerWeek: 3, NanoUsdPerMonth: 4, NanoUsdTotal: 5,
		}}},
	})
	require.Equal(t, []limits.Budget{{ID: "1", Name: "team", Kind: "tag", Value: "eu", Amounts: limits.Amounts{
		PerHour: 1, PerDay: 2, PerWeek: 3, PerMonth: 4, Total: 5,
	}}}, p.Budgets)
	require.Equal(t, "ada", p.User)
	require.Equal(t, "ci-bot", p.Agent)
}

func TestOnlyARevokedKeyHasEndedForGood(t *testing.T) {
	end := timestamppb.New(time.Unix(1, 0))
	for state, active := range map[keyauthv1.KeyState]bool{
		keyauthv1.KeyState_KEY_STATE_ACTIVE: true, keyauthv1.KeyState_KEY_STATE_EXPIRED: true,
		keyauthv1.KeyState_KEY_STATE_REVOKED: false, keyauthv1.KeyState_KEY_STATE_UNSPECIFIED: false,
	} {
		p := toPrincipal(&keyauthv1.Principal{State: state, Settings: &keyauthv1.KeySettings{ExpiresAt: end}})
		require.Equal(t, active, p.Active, state)
		require.True(t, p.ExpiresAt.Equal(end.AsTime()))
	}
}
