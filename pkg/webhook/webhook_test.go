package webhook_test

import (
	"context"
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/webhook"
)

// The expected value was computed with another program.
func TestTheSignature(t *testing.T) {
	const want = "t=1700000000,v1=2fdce3d84622450ab95bc710630480e9484c3efe8046000fbbfabfb5b7ed109d"
	require.Equal(t, want, webhook.Sign("whsec_secret", time.Unix(1700000000, 0), `{"id":"1"}`))
}

func TestSentRequest(t *testing.T) {
	var got *http.Request
	var body string
	s := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		if err == nil {
			got, body = r, string(text)
		}
	}))
	defer s.Close()
	d := webhook.Delivery{URL: s.URL + "/hook?a=b", ID: "one", Secret: "whsec_secret", At: time.Unix(1700000000, 0), Body: `{"id":"1"}`}
	status, err := trusting(s).Send(t.Context(), d)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, http.MethodPost, got.Method)
	require.Equal(t, "/hook?a=b", got.RequestURI)
	require.Equal(t, d.Body, body)
	require.Equal(t, "application/json", got.Header.Get("Content-Type"))
	require.Equal(t, "one", got.Header.Get("Signalbox-Id"))
	require.Equal(t, webhook.Sign(d.Secret, d.At, d.Body), got.Header.Get("Signalbox-Signature"))

	d.Secret = ""
	_, err = trusting(s).Send(t.Context(), d)
	require.NoError(t, err)
	require.NotContains(t, got.Header, "Signalbox-Signature")
}

func trusting(s *httptest.Server) *webhook.Sender {
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	return webhook.New(webhook.Config{AllowPrivate: true, Roots: roots})
}

func TestResponses(t *testing.T) {
	calls := 0
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls++
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "/ok", http.StatusTemporaryRedirect)
		case "/gone":
			w.WriteHeader(http.StatusGone)
		case "/broken":
			panic(http.ErrAbortHandler)
		case "/big":
			w.Header().Set("X-Big", string(make([]byte, 32<<10)))
		}
	}))
	defer s.Close()
	for path, want := range map[string]struct {
		status int
		err    string
	}{
		"/ok":     {200, ""},
		"/moved":  {307, "the webhook responded with status 307; redirects are not followed"},
		"/gone":   {410, "the webhook responded with status 410"},
		"/broken": {0, "the connection failed"},
		"/big":    {0, "the connection failed"},
	} {
		calls = 0
		status, err := trusting(s).Send(t.Context(), webhook.Delivery{URL: s.URL + path})
		require.Equal(t, want.status, status, path)
		if want.err == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, want.err)
		}
		require.Equal(t, 1, calls, path)
	}
}

func TestUnreachableWebhooks(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was called") }))
	defer s.Close()
	send := func(to *webhook.Sender, url string) string {
		_, err := to.Send(t.Context(), webhook.Delivery{URL: url})
		require.Error(t, err)
		return err.Error()
	}
	require.Equal(t, "the address is not public", send(webhook.New(webhook.Config{}), s.URL))
	require.Equal(t, "the address is not public", send(webhook.New(webhook.Config{}), "http://localhost:1/"))
	require.Equal(t, "the TLS certificate is not trusted", send(webhook.New(webhook.Config{AllowPrivate: true}), s.URL))
	require.Equal(t, "the URL is not valid", send(trusting(s), "http://[::1"))
	require.Equal(t, "the connection failed", send(trusting(s), "https://127.0.0.1:1"))
}

func TestAWebhookThatHangs(t *testing.T) {
	release := make(chan struct{})
	s := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer s.Close()
	defer close(release)
	ctx, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	_, err := trusting(s).Send(ctx, webhook.Delivery{URL: s.URL})
	require.EqualError(t, err, "the webhook did not respond within 5 seconds")
}
