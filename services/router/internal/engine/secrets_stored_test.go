package engine_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/router/internal/engine"
	"github.com/signalbox/signalbox/services/router/internal/secretrules"
)

// openAt starts an engine whose catalog has a provider at an address.
func openAt(t *testing.T, s engine.Store, address string) *engine.Engine {
	cat, err := catalog.Parse([]byte(`[{"id": "vendor", "kind": "openai", "base_url": "`+address+`", "env": "VENDOR_KEY"}]`), []byte(`{}`))
	require.NoError(t, err)
	rules, err := secretrules.New(cat, "", "")
	require.NoError(t, err)
	e, err := engine.Open(t.Context(), engine.Options{
		Store: s, Catalog: cat, Log: slog.New(slog.DiscardHandler), HasEnv: func(string) bool { return false }, SecretAllowed: rules.Allow,
	})
	require.NoError(t, err)
	return e
}

const withVendor = `version: 1
providers: {vendor: {}}
models: {m: {endpoints: [{provider: vendor, model: m}], price: {input: "1", output: "1", per: 1M}, context: 1000}}
routes: {auto: {select: [{target: m}]}}
`

func TestARollbackUsesTheNewAddressOfTheCatalog(t *testing.T) {
	s := openStore(t)
	other, err := openAllowing(t, s).Publish(t.Context(), engine.Draft{Document: oneModel})
	require.NoError(t, err)
	v, err := openAt(t, s, "https://old.example/v1").Publish(t.Context(), engine.Draft{Document: withVendor})
	require.NoError(t, err)
	e := openAt(t, s, "https://new.example/v1")
	require.ErrorContains(t, e.RefreshError(), "publish the document again")
	_, err = e.Rollback(t.Context(), other.Name, "", "")
	require.NoError(t, err)
	again, err := e.Rollback(t.Context(), v.Name, "", "")
	require.NoError(t, err)
	require.NotEqual(t, v.Name, again.Name)
	now, _ := e.Active()
	require.Equal(t, again.Name, now.Policy.Version())
	require.Equal(t, "https://new.example/v1", now.Policy.Providers[0].BaseURL)
	e.Poll(t.Context())
	require.NoError(t, e.RefreshError())
}

// searchless is a store whose search for versions can fail.
type searchless struct {
	engine.Store
	away error
}

func (b *searchless) FindByPrefix(ctx context.Context, prefix string) ([]engine.Version, error) {
	if b.away != nil {
		return nil, b.away
	}
	return b.Store.FindByPrefix(ctx, prefix)
}

func TestAStoreErrorIsNoSecretFault(t *testing.T) {
	s := &searchless{Store: openStore(t)}
	file, err := open(t, s, withSecret)
	require.NoError(t, err)
	stored, _ := file.Active()
	s.away = errors.New("no response")
	restarted := openAllowing(t, s)
	require.NoError(t, restarted.RefreshError(), "it is unknown whether the version is a file's")
	for range 2 {
		restarted.Poll(t.Context())
		require.NoError(t, restarted.RefreshError())
		s.away = nil
	}
	_, err = restarted.Publish(t.Context(), engine.Draft{Document: oneModel})
	require.NoError(t, err)
	s.away = errors.New("no response")
	v := engine.Version{Name: stored.Policy.Version(), Compiled: stored.Policy.Canonical(), Document: withSecret, Origin: engine.OriginRollback}
	require.NoError(t, s.Activate(t.Context(), v, ""))
	restarted.Poll(t.Context())
	now, _ := restarted.Active()
	require.Equal(t, v.Name, now.Policy.Version())
	require.NoError(t, restarted.RefreshError())
}

func TestAForbiddenSecretIsReportedAfterAStoreError(t *testing.T) {
	s := &searchless{Store: openStore(t)}
	_, err := openAllowing(t, s, "env:OPENAI_API_KEY", "file:/etc/shadow").Publish(t.Context(), engine.Draft{Document: withSecret})
	require.NoError(t, err)
	s.away = errors.New("no response")
	e := openAllowing(t, s)
	e.Poll(t.Context())
	require.NoError(t, e.RefreshError())
	s.away = nil
	e.Poll(t.Context())
	require.ErrorContains(t, e.RefreshError(), "SECRET_NOT_ALLOWED")
}
