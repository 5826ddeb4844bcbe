package dashboard_test

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/records"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/dashboard"
)

func deps() dashboard.Deps {
	return dashboard.Deps{
		Accounts: keyauthv1.NewAccountServiceClient(nil), Router: routerv1.NewRouterServiceClient(nil), Policies: routerv1.NewPolicyServiceClient(nil),
		Records: records.NewMemory(), Log: slog.New(slog.DiscardHandler),
	}
}

func TestAMissingDependencyIsNamed(t *testing.T) {
	for name, drop := range map[string]func(*dashboard.Deps){
		"Accounts": func(d *dashboard.Deps) { d.Accounts = nil },
		"Router":   func(d *dashboard.Deps) { d.Router = nil },
		"Policies": func(d *dashboard.Deps) { d.Policies = nil },
		"Records":  func(d *dashboard.Deps) { d.Records = nil },
		"Log":      func(d *dashboard.Deps) { d.Log = nil },
	} {
		d := deps()
		drop(&d)
		_, err := dashboard.New(t.Context(), dashboard.Config{Data: t.TempDir()}, d)
		require.ErrorContains(t, err, "Deps."+name)
	}
}

func TestTheListenerLimitsConnections(t *testing.T) {
	s, err := dashboard.New(t.Context(), dashboard.Config{Data: t.TempDir()}, deps())
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	require.Positive(t, s.Server().MaxConns)
}

func TestBadSettingsAreRefused(t *testing.T) {
	for _, url := range []string{"signalbox.example.com", "ftp://x", "https://x/path", "https://x?y", "https://a:b@x", "://"} {
		_, err := dashboard.New(t.Context(), dashboard.Config{Data: t.TempDir(), PublicURL: url}, deps())
		require.ErrorContains(t, err, "public-url", url)
	}
	_, err := dashboard.New(t.Context(), dashboard.Config{Store: "mysql://secret"}, deps())
	require.Error(t, err)
	require.NotContains(t, err.Error(), "secret")
}

func TestSettingsOfTheBinary(t *testing.T) {
	cfg, err := dashboard.LoadConfig([]string{"--public-url", "https://x"}, []string{"SIGNALBOX_KEYAUTH=k:1", "SIGNALBOX_DATA=/d"})
	require.NoError(t, err)
	require.Equal(t, "127.0.0.1:8081", cfg.Process.Listen)
	require.Equal(t, "127.0.0.1:9081", cfg.Process.Admin)
	require.Equal(t, "k:1", cfg.Process.Keyauth)
	require.Equal(t, "/d", cfg.Data)
	require.Equal(t, "https://x", cfg.PublicURL)
	_, err = dashboard.LoadConfig([]string{"--help"}, nil)
	var help *config.Help
	require.ErrorAs(t, err, &help)
	require.Contains(t, help.Usage, "SIGNALBOX_DASHBOARD_STORE")
}

func TestRunServesUntilCanceled(t *testing.T) {
	lis, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	d := deps()
	d.Listener = lis
	s, err := dashboard.New(t.Context(), dashboard.Config{Data: t.TempDir() + "/made"}, d)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+lis.Addr().String()+"/docs", nil)
	require.NoError(t, err)
	resp, err := (&http.Client{}).Do(r)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, http.StatusOK, resp.StatusCode)
	cancel()
	require.NoError(t, <-done)
	require.NoError(t, s.Close())
	_, err = net.Dial("tcp", lis.Addr().String())
	require.Error(t, err)
}
