package egress

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// proxyServer is a real proxy: it forwards plain requests and opens tunnels with CONNECT.
type proxyServer struct {
	*httptest.Server
	// to is the address that it connects to, whatever the request names.
	to       string
	tunnels  atomic.Int64
	forwards atomic.Int64
	// auth is the last Proxy-Authorization header.
	auth atomic.Value
}

func newProxyServer(t *testing.T, to string) *proxyServer {
	t.Helper()
	p := &proxyServer{to: strings.TrimPrefix(strings.TrimPrefix(to, "https://"), "http://")}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

func (p *proxyServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.auth.Store(r.Header.Get("Proxy-Authorization"))
	if r.Method == http.MethodConnect {
		p.tunnels.Add(1)
		p.tunnel(w)
		return
	}
	p.forwards.Add(1)
	out, err := http.NewRequestWithContext(r.Context(), r.Method, "http://"+p.to+r.URL.Path, r.Body)
	if err != nil || !r.URL.IsAbs() {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	resp, err := http.DefaultTransport.RoundTrip(out)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer func() { _ = resp.Body.Close() }()
	for name, values := range resp.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(resp.StatusCode)
	_, _ = io.Copy(w, resp.Body)
}

func (p *proxyServer) tunnel(w http.ResponseWriter) {
	up, err := net.Dial("tcp", p.to)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer func() { _ = up.Close() }()
	down, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer func() { _ = down.Close() }()
	_, _ = io.WriteString(down, "HTTP/1.1 200 Connected\r\n\r\n")
	go func() {
		_, _ = io.Copy(up, down)
		_ = up.Close()
	}()
	_, _ = io.Copy(down, up)
}

// through returns a caller that uses the proxy.
func through(t *testing.T, c Config, proxy string) Caller {
	t.Helper()
	u, err := url.Parse(proxy)
	require.NoError(t, err)
	caller := NewProxied(c, http.ProxyURL(u))
	t.Cleanup(caller.(wrappedTransport).transport.(*proxied).transport.CloseIdleConnections)
	return caller
}

// The name of the upstream does not resolve, so only the proxy can reach it.
func TestPlainProxy(t *testing.T) {
	s, hits := server(t, echoBody)
	p := newProxyServer(t, s.URL)
	caller := through(t, Config{AllowPrivate: true}, strings.Replace(p.URL, "http://", "http://me:secret@", 1))
	for range 2 {
		resp, err := caller.Call(t.Context(), posted(t, "http://acme.invalid/v1", "hello"))
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, resp.Status)
		require.Equal(t, "hello", read(t, resp))
	}
	require.EqualValues(t, 2, hits.Load())
	require.EqualValues(t, 2, p.forwards.Load())
	require.Equal(t, "Basic bWU6c2VjcmV0", p.auth.Load())
}

func TestConnectProxy(t *testing.T) {
	s, conns := secure(t, true, func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 1 || r.Header.Get("Accept-Encoding") != "" || r.Header.Get("Proxy-Authorization") != "" {
			w.WriteHeader(http.StatusTeapot)
		}
		echoBody(w, r)
	})
	p := newProxyServer(t, s.URL)
	caller := through(t, Config{AllowPrivate: true, Roots: roots(s)}, p.URL)
	for range 2 {
		resp, err := caller.Call(t.Context(), posted(t, "https://example.com/v1", "hello")) // a name in the certificate
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, resp.Status)
		require.Equal(t, "hello", read(t, resp))
		require.NoError(t, resp.Body.Close())
	}
	require.EqualValues(t, 1, conns.Load(), "the tunnel is reused")
	require.EqualValues(t, 1, p.tunnels.Load())
	require.Zero(t, p.forwards.Load())

	stranger := through(t, Config{AllowPrivate: true}, p.URL)
	_, err := stranger.Call(t.Context(), posted(t, "https://example.com/v1", "hello"))
	require.Equal(t, "tls: the certificate is not valid for the host", requirePhase(t, err, PhaseTLS).Error())
}

func TestProxiedResponsesAreNotInterpreted(t *testing.T) {
	s, hits := server(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	})
	p := newProxyServer(t, s.URL)
	resp, err := through(t, Config{AllowPrivate: true}, p.URL).Call(t.Context(), posted(t, "http://acme.invalid/v1", "hello"))
	require.NoError(t, err)
	require.Equal(t, http.StatusTemporaryRedirect, resp.Status)
	require.Equal(t, "gzip", resp.Header.Get("Content-Encoding"))
	require.NoError(t, resp.Body.Close())
	require.EqualValues(t, 1, hits.Load())

	long := listen(t, once("HTTP/1.1 200 OK\r\nX-Long: "+strings.Repeat("z", 2*maxHeader)+"\r\nContent-Length: 0\r\n\r\n"))
	_, err = through(t, Config{AllowPrivate: true}, strings.TrimSuffix(long.url, "/v1")).Call(t.Context(), posted(t, "http://acme.invalid/v1", "hello"))
	require.ErrorContains(t, err, "exceeded")
}

func TestProxyFailures(t *testing.T) {
	noWay := newProxyServer(t, "127.0.0.1:1")
	for name, tt := range map[string]struct {
		config Config
		proxy  string
		to     string
		want   string
	}{
		"not there":           {Config{AllowPrivate: true}, "http://127.0.0.1:1", "http://acme.invalid", "connect: connection refused"},
		"no tunnel":           {Config{AllowPrivate: true}, noWay.URL, "https://acme.invalid", "connect: the proxy made no connection"},
		"not allowed":         {Config{}, noWay.URL, "http://acme.invalid", "guard: " + ErrRefused.Error()},
		"tunnel not allowed":  {Config{}, noWay.URL, "https://acme.invalid", "guard: " + ErrRefused.Error()},
		"unknown proxy":       {Config{AllowPrivate: true}, "http://proxy.invalid:3128", "https://acme.invalid", "dns: "},
		"unknown socks proxy": {Config{AllowPrivate: true}, "socks5://127.0.0.1:1", "https://acme.invalid", "connect: "},
	} {
		_, err := through(t, tt.config, tt.proxy).Call(t.Context(), posted(t, tt.to, "hello"))
		var e *Error
		require.ErrorAs(t, err, &e, name)
		require.Contains(t, e.Error(), tt.want, name)
	}
	invalid := NewProxied(Config{}, func(*http.Request) (*url.URL, error) { return nil, errors.New("http://me:secret@proxy") })
	_, err := invalid.Call(t.Context(), posted(t, "http://acme.invalid", "hello"))
	require.Equal(t, "connect: the address of the proxy is invalid", requirePhase(t, err, PhaseConnect).Error())
	require.NoError(t, errors.Unwrap(err), "the cause would contain the password")
}

// A call without a proxy is checked like any other.
func TestDirectCallBesideAProxy(t *testing.T) {
	s, hits := server(t, echoBody)
	direct := func(*http.Request) (*url.URL, error) { return nil, nil }
	_, err := NewProxied(Config{}, direct).Call(t.Context(), posted(t, s.URL, "hello"))
	require.ErrorIs(t, requirePhase(t, err, PhaseGuard), ErrRefused)
	require.Zero(t, hits.Load())
}

// A connection to the proxy that was lost after the request was written is reported as such.
func TestLostConnectionToAProxy(t *testing.T) {
	u := listen(t, late(plainAnswer), once(plainAnswer))
	caller := through(t, Config{AllowPrivate: true}, strings.TrimSuffix(u.url, "/v1"))
	resp, err := caller.Call(t.Context(), posted(t, "http://acme.invalid/v1", "x"))
	require.NoError(t, err)
	require.Equal(t, "hello", read(t, resp))
	require.NoError(t, resp.Body.Close())
	_, err = caller.Call(t.Context(), posted(t, "http://acme.invalid/v1", "x"))
	require.True(t, requirePhase(t, err, PhaseRequest).Stale)
	require.EqualValues(t, 1, u.conns.Load())
	resp, err = caller.Call(t.Context(), posted(t, "http://acme.invalid/v1", "x"))
	require.NoError(t, err)
	require.Equal(t, "hello", read(t, resp))
}
