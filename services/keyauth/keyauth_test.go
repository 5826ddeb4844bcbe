package keyauth_test

import (
	"context"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/rpc"
	"github.com/signalbox/signalbox/pkg/testkit/testenv"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/keyauth"
)

func TestMain(m *testing.M) { testenv.Main(m) }

func deps(network *rpc.Memory) keyauth.Deps {
	return keyauth.Deps{Listener: network.Listener(), Log: slog.New(slog.DiscardHandler)}
}

// withService runs the service while f uses it.
func withService(t *testing.T, cfg keyauth.Config, f func(keyauthv1.KeyAuthServiceClient, keyauthv1.AccountServiceClient)) {
	t.Helper()
	network := rpc.NewMemory()
	svc, err := keyauth.New(t.Context(), cfg, deps(network))
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- svc.Run(ctx) }()
	conn, err := network.Dial(rpc.ClientConfig{})
	require.NoError(t, err)
	f(keyauthv1.NewKeyAuthServiceClient(conn), keyauthv1.NewAccountServiceClient(conn))
	require.NoError(t, conn.Close())
	stop()
	require.NoError(t, <-ended)
	require.NoError(t, svc.Close())
}

func digest(key string) []byte {
	sum := apikey.DigestOf(key)
	return sum[:]
}

func bootstrap(t *testing.T, cfg keyauth.Config) (key string) {
	t.Helper()
	withService(t, cfg, func(_ keyauthv1.KeyAuthServiceClient, accounts keyauthv1.AccountServiceClient) {
		b, err := accounts.Bootstrap(t.Context(), &keyauthv1.BootstrapRequest{})
		require.NoError(t, err)
		key = b.GetKey()
	})
	return key
}

func TestKeysSurviveARestart(t *testing.T) {
	for name, cfg := range map[string]keyauth.Config{
		"sqlite":   {Data: filepath.Join(t.TempDir(), "new", "data")},
		"postgres": {Data: t.TempDir(), Postgres: config.Secret(testenv.Postgres(t))},
	} {
		t.Run(name, func(t *testing.T) {
			key := bootstrap(t, cfg)
			withService(t, cfg, func(keys keyauthv1.KeyAuthServiceClient, accounts keyauthv1.AccountServiceClient) {
				_, err := keys.VerifyKey(t.Context(), &keyauthv1.VerifyKeyRequest{Digest: digest(key)})
				require.NoError(t, err)
				_, err = accounts.Register(t.Context(), &keyauthv1.RegisterRequest{Email: "a@example.com", Password: "correct horse"})
				require.Equal(t, apperr.RegistrationOff, apperr.CodeOf(err), "invite is the default")
			})
		})
	}
}

func TestPepperIsCreatedOnce(t *testing.T) {
	cfg := keyauth.Config{Data: t.TempDir()}
	bootstrap(t, cfg)
	path := filepath.Join(cfg.Data, "pepper")
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), info.Mode().Perm())
	first, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Len(t, first, 32)
	bootstrap(t, cfg)
	second, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, first, second)
	left, err := filepath.Glob(filepath.Join(cfg.Data, ".pepper-*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestInstancesThatStartTogetherShareThePepper(t *testing.T) {
	cfg := keyauth.Config{Data: t.TempDir()}
	var wg sync.WaitGroup
	services, errs := make([]*keyauth.Service, 4), make([]error, 4)
	for i := range services {
		wg.Go(func() { services[i], errs[i] = keyauth.New(t.Context(), cfg, deps(rpc.NewMemory())) })
	}
	wg.Wait()
	for i, svc := range services {
		require.NoError(t, errs[i])
		require.NoError(t, svc.Close())
	}
}

func TestABadPepperIsRefused(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(path string) error
		want  string
	}{
		{"missing", os.Remove, "is missing"},
		{"empty", func(path string) error { return os.WriteFile(path, nil, 0o600) }, "has 0 bytes"},
		{"short", func(path string) error { return os.WriteFile(path, make([]byte, 31), 0o600) }, "has 31 bytes"},
		{"another", func(path string) error { return os.WriteFile(path, make([]byte, 32), 0o600) }, "does not belong to this store"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := keyauth.Config{Data: t.TempDir(), PepperFile: filepath.Join(t.TempDir(), "secret")}
			bootstrap(t, cfg)
			require.NoError(t, c.spoil(cfg.PepperFile))
			_, err := keyauth.New(t.Context(), cfg, deps(rpc.NewMemory()))
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestMissingDepsAreNamed(t *testing.T) {
	cfg := keyauth.Config{Data: t.TempDir()}
	_, err := keyauth.New(t.Context(), cfg, keyauth.Deps{Log: slog.New(slog.DiscardHandler)})
	require.ErrorContains(t, err, "Deps.Listener")
	_, err = keyauth.New(t.Context(), cfg, keyauth.Deps{Listener: rpc.NewMemory().Listener()})
	require.ErrorContains(t, err, "Deps.Log")
}

func TestLoadConfig(t *testing.T) {
	cfg, err := keyauth.LoadConfig(nil, nil)
	require.NoError(t, err)
	require.Equal(t, "./data", cfg.Data)
	require.Equal(t, "127.0.0.1:7002", cfg.Process.Listen)
	require.Equal(t, "127.0.0.1:9002", cfg.Process.Admin)

	cfg, err = keyauth.LoadConfig(
		[]string{"--registration", "open", "--keyauth-store=postgres://u:word@h/d"}, []string{"SIGNALBOX_DATA=/d"})
	require.NoError(t, err)
	require.Equal(t, "open", cfg.Registration)
	require.Equal(t, "/d", cfg.Data)
	require.Equal(t, "postgres://u:word@h/d", cfg.Store.Reveal())

	require.Zero(t, cfg.DefaultBudget)
	require.False(t, cfg.WebhookAllowPrivate)
	cfg, err = keyauth.LoadConfig([]string{"--webhook-allow-private"}, []string{"SIGNALBOX_DEFAULT_BUDGET=2.50"})
	require.NoError(t, err)
	require.EqualValues(t, 2_500_000_000, cfg.DefaultBudget)
	require.True(t, cfg.WebhookAllowPrivate)

	_, err = keyauth.LoadConfig([]string{"--registration", "maybe", "--pepper"}, nil)
	require.ErrorContains(t, err, "must be one of open, invite, closed")
	require.ErrorContains(t, err, "--pepper: unknown flag")
	_, err = keyauth.LoadConfig([]string{"--help"}, nil)
	require.ErrorIs(t, err, config.ErrHelp)
}

func TestDefaultBudgets(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "25": 25_000_000_000, "0.000000001": 1, "1000000000": 1_000_000_000_000_000_000, "1.": 1_000_000_000,
	} {
		cfg, err := keyauth.LoadConfig([]string{"--default-budget", text}, nil)
		require.NoError(t, err, text)
		require.Equal(t, want, cfg.DefaultBudget, text)
	}
	for _, text := range []string{"-1", "+1", ".5", "1e3", "0.0000000001", "1000000000.01", "99999999999999999999", "1,5", "$1", " 1"} {
		_, err := keyauth.LoadConfig([]string{"--default-budget=" + text}, nil)
		require.ErrorContains(t, err, "dollars", text)
	}
}

// A notice of spend that was reported before a stop is delivered after the next start.
func TestNoticesAreDeliveredAfterARestart(t *testing.T) {
	received := make(chan string, 10)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		received <- string(body)
	}))
	defer hook.Close()
	cfg := keyauth.Config{Data: t.TempDir(), WebhookAllowPrivate: true}
	key := bootstrap(t, cfg)
	type clients struct {
		keys     keyauthv1.KeyAuthServiceClient
		accounts keyauthv1.AccountServiceClient
	}
	run := func(f func(c clients, p *keyauthv1.Principal)) {
		withService(t, cfg, func(keys keyauthv1.KeyAuthServiceClient, accounts keyauthv1.AccountServiceClient) {
			v, err := keys.VerifyKey(t.Context(), &keyauthv1.VerifyKeyRequest{Digest: digest(key)})
			require.NoError(t, err)
			f(clients{keys, accounts}, v.GetPrincipal())
		})
	}
	report := func(c clients, p *keyauthv1.Principal, nano int64) {
		_, err := c.accounts.ReportSpend(t.Context(), &keyauthv1.ReportSpendRequest{Spend: []*keyauthv1.Spend{{
			AccountId: p.GetAccountId(), KeyId: p.GetKeyId(), Day: time.Now().UTC().Format(time.DateOnly), NanoUsd: nano,
		}}})
		require.NoError(t, err)
	}
	run(func(c clients, p *keyauthv1.Principal) {
		_, err := c.accounts.UpdateAccount(t.Context(), &keyauthv1.UpdateAccountRequest{
			Actor:   &keyauthv1.Actor{AccountId: p.GetAccountId()},
			Account: &keyauthv1.Account{WebhookUrl: hook.URL, Limits: &keyauthv1.Limits{NanoUsdPerMonth: 100}},
			Mask:    &fieldmaskpb.FieldMask{Paths: []string{"webhook_url", "limits"}},
		})
		require.NoError(t, err)
		report(c, p, 80)
		require.Contains(t, <-received, `"percent":80`)
		report(c, p, 100)
	})
	run(func(clients, *keyauthv1.Principal) {
		for text := range received { // the stop may have interrupted the first notice, which then comes again
			if strings.Contains(text, `"percent":100`) {
				return
			}
			require.Contains(t, text, `"percent":80`)
		}
	})
}
