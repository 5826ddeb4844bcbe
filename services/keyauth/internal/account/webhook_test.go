package account_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
	"github.com/signalbox/signalbox/services/keyauth/internal/webhook"
)

func TestWebhookAddresses(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	strict, lax := w, w.with(t, func(c *account.Config) { c.PrivateWebhooks = true })
	for _, c := range []struct {
		url         string
		strict, lax bool
	}{
		{"https://example.com/hook?a=b", true, true},
		{"https://93.184.215.14:8443/", true, true},
		{"https://192.168.1.1/", false, true},
		{"https://[::1]:8080/", false, true},
		{"https://[fe80::1%25eth0]/", false, true},
		{"http://example.com/", false, true},
		{"https://user:word@example.com/", false, false},
		{"https://user@example.com/", false, false},
		{"ftp://example.com/", false, false},
		{"https:///path", false, false},
		{"https://example.com/#part", false, false},
		{"https://example.com/ a", false, false},
		{"https://ex\u00e4mple.com/", false, false},
		{"example.com", false, false},
		{"https://example.com/" + strings.Repeat("a", 2000), false, false},
	} {
		for w, ok := range map[world]bool{strict: c.strict, lax: c.lax} {
			owner := w.newOwner(t)
			got, err := w.UpdateAccount(t.Context(), owner, access.Account{WebhookURL: c.url}, []string{"webhook_url"})
			if !ok {
				requireParam(t, "webhook_url", err)
				continue
			}
			require.NoError(t, err, c.url)
			require.Equal(t, c.url, got.WebhookURL)
			_, err = strict.UpdateAccount(t.Context(), owner, access.Account{Name: "New"}, []string{"name"})
			require.NoError(t, err, "what was allowed once hinders no other change")
			_, err = w.UpdateAccount(t.Context(), owner, access.Account{}, []string{"webhook_url"})
			require.NoError(t, err, "it can be switched off")
		}
	}
}

// The URL of a webhook is often a secret.
func TestOnlyOwnersSeeTheWebhookURL(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	owner := w.newOwner(t)
	w.setHook(t, owner, "https://example.com:8443/secret/path?token=1")
	for role, want := range map[access.Role]string{
		access.Owner: "https://example.com:8443/secret/path?token=1", access.Member: "https://example.com:8443/", access.Viewer: "https://example.com:8443/",
	} {
		a, err := w.Account(t.Context(), w.newActor(t, owner.AccountID, role))
		require.NoError(t, err)
		require.Equal(t, want, a.WebhookURL, role)
	}
}

func TestNoticesAreSigned(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		h := newHook(t)
		w = w.hooked(t, h)
		owner := w.newOwner(t)
		w.setHook(t, owner, h.URL)
		_, _, err := w.TestWebhook(t.Context(), owner)
		require.NoError(t, err)
		first, err := w.RotateWebhookSecret(t.Context(), owner)
		require.NoError(t, err)
		second, err := w.RotateWebhookSecret(t.Context(), owner)
		require.NoError(t, err)
		require.NotEqual(t, first, second)
		require.True(t, strings.HasPrefix(second, "whsec_"))
		status, problem, err := w.hooked(t, h).TestWebhook(t.Context(), owner)
		require.NoError(t, err)
		require.Empty(t, problem)
		require.Equal(t, http.StatusNoContent, status)

		got := h.received()
		require.Empty(t, got[0].Signature)
		require.Equal(t, "webhook.test", got[1].message(t).Type)
		requireSigned(t, second, got[1])

		a, err := w.Account(t.Context(), owner)
		require.NoError(t, err)
		require.True(t, a.WebhookSigned())
		require.NotContains(t, string(a.WebhookSecret), strings.TrimPrefix(second, "whsec_"), "a copy of the store shows none")
		for _, e := range w.trail(t, owner.AccountID) {
			require.NotContains(t, e.Before+e.After, first)
			require.NotContains(t, e.Before+e.After, second)
		}
		events := w.trail(t, owner.AccountID)
		require.Equal(t, "webhook.test", events[0].Action)
		require.JSONEq(t, `{"status":204}`, events[0].After)
		require.Equal(t, "webhook.rotate_secret", events[1].Action)
	})
}

// requireSigned checks the signature as a receiver would.
func requireSigned(t *testing.T, secret string, c call) {
	t.Helper()
	seconds, _, ok := strings.Cut(strings.TrimPrefix(c.Signature, "t="), ",v1=")
	require.True(t, ok, c.Signature)
	at, err := time.Parse(time.RFC3339, c.message(t).Time)
	require.NoError(t, err)
	for offset := range 10 {
		if webhook.Sign(secret, at.Add(time.Duration(offset)*time.Second), c.Body) == c.Signature {
			return
		}
	}
	require.Fail(t, "not signed", seconds)
}

// A secret that was moved into another account's row cannot be decrypted there.
func TestWebhookSecretIsBoundToItsAccount(t *testing.T) {
	h := newHook(t)
	w := newWorld(t, account.RegistrationOpen).hooked(t, h)
	mine, theirs := w.newOwner(t), w.newOwner(t)
	_, err := w.RotateWebhookSecret(t.Context(), theirs)
	require.NoError(t, err)
	w.setHook(t, mine, h.URL)
	a, err := w.Account(t.Context(), mine)
	require.NoError(t, err)
	b, err := w.Account(t.Context(), theirs)
	require.NoError(t, err)
	a.WebhookSecret = b.WebhookSecret
	require.NoError(t, w.store.Write(t.Context(), func(tx account.Tx) error { return tx.SaveAccount(t.Context(), a) }))
	_, problem, err := w.TestWebhook(t.Context(), mine)
	require.NoError(t, err)
	require.Contains(t, problem, "cannot be decrypted")
	require.Empty(t, h.received())
}

// A webhook that hangs uses one test slot, not all of them.
func TestAWebhookIsTestedOnceAtATime(t *testing.T) {
	requested, release := make(chan struct{}), make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		requested <- struct{}{}
		<-release
	}))
	t.Cleanup(slow.Close)
	h := newHook(t)
	w := newWorld(t, account.RegistrationOpen).hooked(t, h)
	owner, other := w.newOwner(t), w.newOwner(t)
	w.setHook(t, owner, slow.URL)
	w.setHook(t, other, h.URL)
	first := make(chan error, 1)
	go func() {
		_, _, err := w.TestWebhook(t.Context(), owner)
		first <- err
	}()
	<-requested
	_, _, err := w.TestWebhook(t.Context(), owner)
	requireCode(t, apperr.TooManyAttempts, err)
	_, problem, err := w.TestWebhook(t.Context(), other)
	require.NoError(t, err)
	require.Empty(t, problem)
	close(release)
	require.NoError(t, <-first)
	go func() { <-requested }()
	_, _, err = w.TestWebhook(t.Context(), owner)
	require.NoError(t, err, "and again when it is done")
}

func TestTestingAWebhook(t *testing.T) {
	h := newHook(t)
	w := newWorld(t, account.RegistrationOpen).hooked(t, h)
	owner := w.newOwner(t)
	_, _, err := w.TestWebhook(t.Context(), owner)
	requireParam(t, "webhook_url", err)
	w.setHook(t, owner, h.URL)
	h.respondWith(http.StatusTeapot)
	status, problem, err := w.TestWebhook(t.Context(), owner)
	require.NoError(t, err)
	require.Equal(t, http.StatusTeapot, status)
	require.Equal(t, "the webhook responded with status 418", problem)
	_, problem, err = w.with(t, func(c *account.Config) { c.Webhook = webhook.New(webhook.Config{}) }).TestWebhook(t.Context(), owner)
	require.NoError(t, err)
	require.Equal(t, "the webhook must have a public address", problem, "a URL is checked again at every delivery")
	require.Len(t, h.received(), 1)
	for _, role := range []access.Role{access.Viewer, access.Member} {
		actor := w.newActor(t, owner.AccountID, role)
		_, _, err := w.TestWebhook(t.Context(), actor)
		requireCode(t, apperr.AuthForbidden, err)
		_, err = w.RotateWebhookSecret(t.Context(), actor)
		requireCode(t, apperr.AuthForbidden, err)
	}
}
