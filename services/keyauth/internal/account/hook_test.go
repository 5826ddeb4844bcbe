package account_test

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
	"github.com/signalbox/signalbox/services/keyauth/internal/keyring"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
	"github.com/signalbox/signalbox/services/keyauth/internal/webhook"
)

// hook is a real webhook that records the notices it receives.
type hook struct {
	*httptest.Server
	mu     sync.Mutex
	status int
	calls  []call
	came   chan struct{}
}

type call struct {
	ID, Signature, Body string
}

func newHook(t *testing.T) *hook {
	t.Helper()
	h := &hook{status: http.StatusNoContent, came: make(chan struct{}, 100)}
	h.Server = httptest.NewTLSServer(http.HandlerFunc(h.serve))
	t.Cleanup(h.Close)
	return h
}

func (h *hook) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	h.mu.Lock()
	defer h.mu.Unlock()
	if err == nil {
		h.calls = append(h.calls, call{r.Header.Get("Signalbox-Id"), r.Header.Get("Signalbox-Signature"), string(body)})
	}
	w.WriteHeader(h.status)
	h.came <- struct{}{}
}

func (h *hook) respondWith(status int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.status = status
}

func (h *hook) received() []call {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]call(nil), h.calls...)
}

// hooked returns an instance that can deliver notices to webhooks on this machine.
func (w world) hooked(t *testing.T, h *hook) world {
	t.Helper()
	roots := x509.NewCertPool()
	roots.AddCert(h.Certificate())
	return w.with(t, func(c *account.Config) {
		c.Webhook, c.PrivateWebhooks = webhook.New(webhook.Config{AllowPrivate: true, Roots: roots, Timeout: time.Minute}), true
	})
}

func (w world) setHook(t *testing.T, actor access.Actor, url string) {
	t.Helper()
	_, err := w.UpdateAccount(t.Context(), actor, access.Account{WebhookURL: url}, []string{"webhook_url"})
	require.NoError(t, err)
}

// reachDay causes a notice by spending 80 % of the daily budget of a new key.
func (w world) reachDay(t *testing.T, actor access.Actor) keyring.Key {
	t.Helper()
	k := w.newKey(t, actor, setting.Limits{NanoUSDPerDay: 100})
	w.report(t, spendOf(k, today(), 80))
	return k
}

// delivering delivers notices until the test ends or stop is called.
func (w world) delivering(t *testing.T) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { w.DeliverNotices(ctx) })
	stop = func() {
		cancel()
		wg.Wait()
	}
	t.Cleanup(stop)
	return stop
}

type message struct {
	ID, Type, Time string
	AccountID      string `json:"account_id"`
	Data           map[string]any
}

func (c call) message(t *testing.T) message {
	t.Helper()
	var m message
	require.NoError(t, json.Unmarshal([]byte(c.Body), &m))
	return m
}
