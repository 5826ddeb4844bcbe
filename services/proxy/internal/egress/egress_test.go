package egress

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// server counts the requests that reach it.
func server(t *testing.T, h http.HandlerFunc) (*httptest.Server, *atomic.Int64) {
	t.Helper()
	var hits atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits.Add(1)
		h(w, r)
	}))
	t.Cleanup(s.Close)
	return s, &hits
}

func get(t *testing.T, c *Transport, url string) (HTTPResponse, error) {
	t.Helper()
	t.Cleanup(c.CloseIdleConnections)
	resp, err := c.Call(t.Context(), posted(t, url, ""))
	if err == nil {
		require.NoError(t, resp.Body.Close())
	}
	return resp, err
}

func requirePhase(t *testing.T, err error, want Phase) *Error {
	t.Helper()
	var e *Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, want, e.Phase)
	require.NotContains(t, e.Error(), "127.0.0.1")
	require.NotContains(t, e.Error(), "localhost")
	return e
}

func TestPrivateAddressIsRefused(t *testing.T) {
	s, hits := server(t, func(http.ResponseWriter, *http.Request) {})
	for name, url := range map[string]string{
		"literal": s.URL,
		"name":    strings.Replace(s.URL, "127.0.0.1", "localhost", 1),
		"mapped":  strings.Replace(s.URL, "127.0.0.1", "[::ffff:127.0.0.1]", 1),
		"zero":    strings.Replace(s.URL, "127.0.0.1", "0.0.0.0", 1),
		"tls":     strings.Replace(s.URL, "http:", "https:", 1),
	} {
		t.Run(name, func(t *testing.T) {
			for _, c := range []Config{{}, {HTTP2: true}} {
				_, err := get(t, New(c), url)
				require.ErrorIs(t, err, ErrRefused)
				require.Equal(t, "guard: "+ErrRefused.Error(), requirePhase(t, err, PhaseGuard).Error())
			}
		})
	}
	require.Zero(t, hits.Load())
}

func TestAllowPrivateReachesIt(t *testing.T) {
	s, hits := server(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "" {
			w.WriteHeader(http.StatusNotAcceptable)
		}
	})
	resp, err := get(t, New(Config{AllowPrivate: true}), s.URL)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, resp.Status, "compression must not be requested")
	require.EqualValues(t, 1, hits.Load())
}

func TestRedirectIsNotFollowed(t *testing.T) {
	target, hits := server(t, func(http.ResponseWriter, *http.Request) {})
	s, _ := server(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, target.URL, http.StatusTemporaryRedirect)
	})
	resp, err := get(t, New(Config{AllowPrivate: true}), s.URL)
	require.NoError(t, err)
	require.Equal(t, http.StatusTemporaryRedirect, resp.Status)
	require.Zero(t, hits.Load())
}

func TestEnvironmentProxyIsNotUsed(t *testing.T) {
	proxy, asked := server(t, func(http.ResponseWriter, *http.Request) {})
	t.Setenv("HTTP_PROXY", proxy.URL)
	s, hits := server(t, func(http.ResponseWriter, *http.Request) {})
	_, err := get(t, New(Config{AllowPrivate: true}), s.URL)
	require.NoError(t, err)
	require.EqualValues(t, 1, hits.Load())
	require.Zero(t, asked.Load())
}

func TestConnectionRefused(t *testing.T) {
	_, err := get(t, New(Config{AllowPrivate: true}), "http://127.0.0.1:1")
	e := requirePhase(t, err, PhaseConnect)
	require.ErrorIs(t, e, syscall.ECONNREFUSED)
	require.Equal(t, "connect: connection refused", e.Error())
	require.False(t, e.Timeout())
}

func TestTLSFailures(t *testing.T) {
	plain, _ := server(t, func(http.ResponseWriter, *http.Request) {})
	_, err := get(t, New(Config{AllowPrivate: true}), strings.Replace(plain.URL, "http:", "https:", 1))
	require.Equal(t, "tls: the server does not support TLS", requirePhase(t, err, PhaseTLS).Error())

	stranger := httptest.NewUnstartedServer(http.NotFoundHandler())
	stranger.Config.ErrorLog = log.New(io.Discard, "", 0)
	stranger.StartTLS()
	defer stranger.Close()
	_, err = get(t, New(Config{AllowPrivate: true, TLSTimeout: patience}), stranger.URL)
	require.Equal(t, "tls: the certificate is not valid for the host", requirePhase(t, err, PhaseTLS).Error())
}

func TestTLSHandshakeIsBounded(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer silent.Close()
	c := New(Config{AllowPrivate: true, TLSTimeout: 10 * time.Millisecond})
	_, err = get(t, c, "https://"+silent.Addr().String())
	require.True(t, requirePhase(t, err, PhaseTLS).Timeout())
}

// roots returns a pool that trusts the server.
func roots(s *httptest.Server) *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	return pool
}

func TestOverTLS(t *testing.T) {
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	c := New(Config{AllowPrivate: true, Roots: roots(s), TLSTimeout: patience})
	resp, err := get(t, c, s.URL)
	require.NoError(t, err)
	require.Equal(t, http.StatusNotFound, resp.Status)
	require.IsType(t, &Body{}, resp.Body, "it is HTTP/1.1")
}

func TestErrorTextNamesNoAddress(t *testing.T) {
	resolver := "read udp 10.0.0.9:53: i/o timeout"
	for _, tt := range []struct {
		name string
		give error
		want string
	}{
		{"not found", &net.DNSError{Err: "no such host", Name: "a.example", Server: "10.0.0.9", IsNotFound: true}, "dns: no such host"},
		{"slow", &net.DNSError{Err: resolver, Name: "a.example", IsTimeout: true}, "dns: timed out"},
		{"other", &net.DNSError{Err: resolver, Name: "a.example"}, "dns: lookup failed"},
		{"deadline", &net.OpError{Op: "dial", Err: context.DeadlineExceeded}, "connect: timed out"},
		{"cancelled", context.Canceled, "connect: canceled"},
		{"unknown", errors.New("10.0.0.9 is odd"), "connect: failed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := dialError(tt.give)
			require.Equal(t, tt.want, err.Error())
			require.ErrorIs(t, err, tt.give)
		})
	}
}
