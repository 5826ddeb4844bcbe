package httpserver_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/httpserver"
)

const ask = "GET /ask HTTP/1.1\r\nHost: h\r\n\r\n"

// held serves /hold until its client leaves, and every other path at once.
var held = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/hold" {
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
	served(w, r)
})

// hold opens connections that serve a request.
func hold(t *testing.T, s *server, n int) []net.Conn {
	t.Helper()
	var all []net.Conn
	for range n {
		conn := dial(t, s)
		holdOn(t, conn, "")
		all = append(all, conn)
	}
	return all
}

// holdOn waits until the request of a connection is served.
func holdOn(t *testing.T, conn net.Conn, header string) {
	t.Helper()
	require.Equal(t, http.StatusOK, tryHoldOn(t, conn, header))
}

func tryHoldOn(t *testing.T, conn net.Conn, header string) int {
	t.Helper()
	_, err := conn.Write([]byte("GET /hold HTTP/1.1\r\nHost: h\r\n" + header + "\r\n"))
	require.NoError(t, err)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	return res.StatusCode
}

// sendHalf opens connections with incomplete headers.
func sendHalf(t *testing.T, s *server, n int) []net.Conn {
	t.Helper()
	var all []net.Conn
	for range n {
		conn := dial(t, s)
		_, err := conn.Write([]byte("GET /half HTTP/1.1\r\nHost: h\r\n"))
		require.NoError(t, err)
		all = append(all, conn)
	}
	return all
}

func TestConnectionsAreBounded(t *testing.T) {
	s := serve(t, httpserver.Config{
		Handler: held, DrainLimit: patience, MaxConns: 2, HeaderTimeout: patience,
		IsVital: func(r *http.Request) bool { return r.URL.Path == "/vital" },
	})
	busy := hold(t, s, 2)
	res := say(t, s, ask)
	require.Equal(t, http.StatusServiceUnavailable, res.StatusCode)
	require.Equal(t, "GATEWAY_OVERLOADED", res.Header.Get("X-Error-Code"))
	require.Equal(t, "true", res.Header.Get("X-Should-Retry"))
	require.NotEmpty(t, res.Header.Get("Retry-After"))
	require.True(t, res.Close)
	require.Equal(t, http.StatusOK, say(t, s, "GET /vital HTTP/1.1\r\nHost: h\r\n\r\n").StatusCode, "always served")

	require.NoError(t, busy[0].Close())
	require.Eventually(t, func() bool { return say(t, s, ask).StatusCode == http.StatusOK }, patience, time.Millisecond, "a place is free again")
}

func TestBeyondTheReserveNobodyIsHeard(t *testing.T) {
	s := serve(t, httpserver.Config{
		Handler: held, DrainLimit: patience, MaxConns: 1, HeaderTimeout: patience,
		IsVital: func(r *http.Request) bool { return r.URL.Path == "/hold" },
	})
	hold(t, s, 1+2*64)
	conn := dial(t, s)
	_, _ = conn.Write([]byte(ask))
	_, err := conn.Read(make([]byte, 1))
	require.Error(t, err)
	require.NotErrorIs(t, err, os.ErrDeadlineExceeded)
}

// Near the limit no connection stays idle, so that every client gets a turn.
func TestNearTheBoundConnectionsAreNotKept(t *testing.T) {
	s := serve(t, httpserver.Config{Handler: held, DrainLimit: patience, MaxConns: 8, HeaderTimeout: patience})
	hold(t, s, 6)
	require.False(t, say(t, s, ask).Close)
	res := say(t, s, ask)
	require.Equal(t, http.StatusOK, res.StatusCode)
	require.True(t, res.Close)
}

// Late headers do not lock out a client that has a request.
func TestWaitingConnectionsMakeWay(t *testing.T) {
	t.Parallel()
	s := serve(t, httpserver.Config{Handler: held, DrainLimit: patience, MaxConns: 4, HeaderTimeout: time.Hour})
	half := sendHalf(t, s, 40)
	silent := dial(t, s)
	for i := range 4 {
		require.Eventually(t, func() bool { return tryHoldOn(t, dial(t, s), "") == http.StatusOK }, patience, 50*time.Millisecond)
		told := read(t, bufio.NewReader(half[i]))
		require.Equal(t, "GATEWAY_OVERLOADED", told.Header.Get("X-Error-Code"), "the client learns why its connection is closed")
		require.True(t, told.Close)
	}
	require.Equal(t, http.StatusServiceUnavailable, say(t, s, ask).StatusCode, "requests that are served do not make way")
	_, err := silent.Write([]byte(ask))
	require.NoError(t, err)
	require.Equal(t, http.StatusServiceUnavailable, read(t, bufio.NewReader(silent)).StatusCode, "an extra connection waits for its error")
}

// Headers arrive at least one round trip after their connection. New clients must not evict each other
// within this time.
func TestNewConnectionsHaveTimeToSendTheirRequest(t *testing.T) {
	s := serve(t, httpserver.Config{Handler: held, DrainLimit: patience, MaxConns: 2, HeaderTimeout: time.Hour})
	idle := dial(t, s)
	_, err := idle.Write([]byte(ask))
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, read(t, bufio.NewReader(idle)).StatusCode)
	silent := dial(t, s)
	// The response arrives before its connection counts as idle.
	require.Eventually(t, func() bool { return say(t, s, ask).StatusCode == http.StatusOK }, patience, time.Millisecond)
	rest, err := io.ReadAll(idle)
	require.NoError(t, err, "idle connections make way first")
	require.Empty(t, string(rest), "a response without a request could be taken for that of the next one")
	holdOn(t, silent, "")
}

// A connection that never sent a request also learns why it is closed.
func TestALateConnectionIsToldThatItIsEvicted(t *testing.T) {
	t.Parallel()
	s := serve(t, httpserver.Config{Handler: held, DrainLimit: patience, MaxConns: 2, HeaderTimeout: time.Hour})
	silent, second := dial(t, s), dial(t, s)
	require.Equal(t, http.StatusServiceUnavailable, say(t, s, ask).StatusCode, "neither is late")
	require.Eventually(t, func() bool { return say(t, s, ask).StatusCode == http.StatusOK }, patience, 50*time.Millisecond)
	told := read(t, bufio.NewReader(silent))
	require.Equal(t, http.StatusServiceUnavailable, told.StatusCode)
	require.NotEmpty(t, told.Header.Get("Retry-After"))
	holdOn(t, second, "")
}

// A silent connection beyond the limit frees no slot for a request.
func TestEvictionDoesNotRaiseTheLimit(t *testing.T) {
	s := serve(t, httpserver.Config{Handler: held, DrainLimit: patience, MaxConns: 2, HeaderTimeout: patience})
	hold(t, s, 2)
	for range 3 {
		dial(t, s)
		require.Equal(t, http.StatusServiceUnavailable, say(t, s, ask).StatusCode)
	}
}

// Silent connections that use up the extra ones keep no other client from its response.
func TestSilentConnectionsDoNotUseUpTheReserve(t *testing.T) {
	s := serve(t, httpserver.Config{Handler: held, DrainLimit: patience, MaxConns: 1, HeaderTimeout: time.Hour})
	hold(t, s, 1)
	silent := dial(t, s)
	for range 2*64 - 1 {
		dial(t, s)
	}
	require.Equal(t, http.StatusServiceUnavailable, say(t, s, ask).StatusCode)
	require.Equal(t, http.StatusServiceUnavailable, read(t, bufio.NewReader(silent)).StatusCode)
}

// Near the limit the headers must arrive soon. The test would wait for an hour otherwise.
func TestNearTheBoundHeadersMustArriveSoon(t *testing.T) {
	t.Parallel()
	s := serve(t, httpserver.Config{Handler: held, DrainLimit: patience, MaxConns: 8, HeaderTimeout: time.Hour})
	hold(t, s, 7)
	half := sendHalf(t, s, 1)
	require.Equal(t, "REQUEST_TIMEOUT", read(t, bufio.NewReader(half[0])).Header.Get("X-Error-Code"))
}

// dialFrom connects from another address of this machine.
func dialFrom(t *testing.T, s *server, ip string) net.Conn {
	t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(ip)}}
	conn, err := d.DialContext(t.Context(), "tcp", s.url[len("http://"):])
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
	return conn
}

// One address cannot use the last eighth of the connections, not even with requests.
func TestOneAddressLeavesConnectionsToOthers(t *testing.T) {
	s := serve(t, httpserver.Config{Handler: held, DrainLimit: patience, MaxConns: 16, HeaderTimeout: time.Hour})
	hold(t, s, 15)
	require.Equal(t, http.StatusServiceUnavailable, say(t, s, ask).StatusCode)
	holdOn(t, dialFrom(t, s, "127.0.0.2"), "")
}

// Behind a trusted proxy the client's address counts, and the proxy's address does not.
func TestOneForwardedAddressLeavesConnectionsToOthers(t *testing.T) {
	trusted, err := httpserver.ParseTrustedProxies("127.0.0.1")
	require.NoError(t, err)
	s := serve(t, httpserver.Config{Handler: held, DrainLimit: patience, MaxConns: 16, HeaderTimeout: time.Hour, TrustedProxies: trusted})
	const greedy, modest = "X-Forwarded-For: 203.0.113.1\r\n", "X-Forwarded-For: 203.0.113.2\r\n"
	for range 14 {
		holdOn(t, dial(t, s), greedy)
	}
	refused := say(t, s, "GET / HTTP/1.1\r\nHost: h\r\n"+greedy+"\r\n")
	require.Equal(t, http.StatusServiceUnavailable, refused.StatusCode)
	require.Equal(t, http.StatusOK, say(t, s, "GET / HTTP/1.1\r\nHost: h\r\n"+modest+"\r\n").StatusCode)
	require.Equal(t, http.StatusOK, say(t, s, ask).StatusCode, "the proxy's own request")
}

// Each idle connection occupies memory. While a quarter of the connections is idle, others close after
// their response. Closing an idle one could lose a request that is arriving.
func TestFewConnectionsStayIdle(t *testing.T) {
	s := serve(t, httpserver.Config{Handler: served, DrainLimit: patience, MaxConns: 400, HeaderTimeout: patience})
	var kept []net.Conn
	for range 100 {
		conn := dial(t, s)
		_, err := conn.Write([]byte(ask))
		require.NoError(t, err)
		require.False(t, read(t, bufio.NewReader(conn)).Close)
		kept = append(kept, conn)
	}
	// A response arrives before its connection counts as idle.
	require.Eventually(t, func() bool { return say(t, s, ask).Close }, patience, time.Millisecond)
	for range 100 {
		require.True(t, say(t, s, ask).Close)
	}
	for _, conn := range kept {
		_, err := conn.Write([]byte(ask))
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, read(t, bufio.NewReader(conn)).StatusCode)
	}
}
