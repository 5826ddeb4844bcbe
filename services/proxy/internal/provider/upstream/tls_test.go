package upstream

import (
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/egress"
)

// HTTP/1.1 and HTTP/2 produce the same results.
func TestOutcomesOverTLS(t *testing.T) {
	for name, http2 := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
		t.Run(name, func(t *testing.T) {
			do := newTLSClient(t, http2, map[string]http.HandlerFunc{
				"/whole": func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) },
				"/busy":  func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
				"/gone":  func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
				"/events": func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", "text/event-stream")
					_, _ = io.WriteString(w, "event: first\ndata: {}\n\n")
					_ = http.NewResponseController(w).Flush()
					panic(http.ErrAbortHandler)
				},
			})
			_, a, err := do("/whole")
			require.NoError(t, err)
			require.Equal(t, "hello", string(a.Body))
			_, _, err = do("/busy")
			require.Equal(t, apperr.ProviderOverloaded, apperr.CodeOf(err))
			_, _, err = do("/gone")
			require.Equal(t, apperr.ProviderConnection, apperr.CodeOf(err))
			require.Equal(t, "request", apperr.From(err).Details["phase"])

			c, a, err := do("/events")
			require.NoError(t, err)
			events := c.ReadEvents(t.Context(), a)
			defer events.Close()
			data, err := events.Next()
			require.NoError(t, err)
			require.Equal(t, "{}", string(data))
			require.Equal(t, "first", string(events.Name()))
			_, err = events.Next()
			require.Equal(t, apperr.ProviderConnection, apperr.CodeOf(err))
			require.Equal(t, "stream", apperr.From(err).Details["phase"])
			require.NotContains(t, errors.Unwrap(err).Error(), "127.0.0.1")
		})
	}
}

// newTLSClient starts a server and returns a function that calls it.
func newTLSClient(t *testing.T, http2 bool, paths map[string]http.HandlerFunc) func(path string) (*Client, Response, error) {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { paths[r.URL.Path](w, r) }))
	s.EnableHTTP2 = http2
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	transport := egress.New(egress.Config{AllowPrivate: true, HTTP2: true, Roots: roots})
	t.Cleanup(transport.CloseIdleConnections)
	c, err := New(Config{Name: "acme", Transport: transport})
	require.NoError(t, err)
	return func(path string) (*Client, Response, error) {
		to, err := url.Parse(s.URL + path)
		require.NoError(t, err)
		a, err := c.Do(t.Context(), Request{Address: egress.NewAddress(to), BodyPieces: [][]byte{[]byte("hel"), []byte("lo")}, Stream: true})
		return c, a, err
	}
}
