package httpserver_test

import (
	"net"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/httpserver"
)

const ask = "GET /ask HTTP/1.1\r\nHost: h\r\n\r\n"

// hold opens connections with incomplete requests.
func hold(t *testing.T, s *server, n int) []net.Conn {
	t.Helper()
	var all []net.Conn
	for range n {
		conn := dial(t, s)
		_, err := conn.Write([]byte("GET /vital HTTP/1.1\r\nHost: h\r\n"))
		require.NoError(t, err)
		all = append(all, conn)
	}
	return all
}

func TestConnectionsAreBounded(t *testing.T) {
	s := serve(t, httpserver.Config{
		Handler: served, DrainLimit: patience, MaxConns: 2, HeaderTimeout: patience,
		IsVital: func(r *http.Request) bool { return r.URL.Path == "/vital" },
	})
	held := hold(t, s, 2)
	res := say(t, s, ask) // connections are accepted, and counted, in their order
	require.Equal(t, http.StatusServiceUnavailable, res.StatusCode)
	require.Equal(t, "GATEWAY_OVERLOADED", res.Header.Get("X-Error-Code"))
	require.Equal(t, "true", res.Header.Get("X-Should-Retry"))
	require.NotEmpty(t, res.Header.Get("Retry-After"))
	require.True(t, res.Close)
	require.Equal(t, http.StatusOK, say(t, s, "GET /vital HTTP/1.1\r\nHost: h\r\n\r\n").StatusCode, "always served")

	require.NoError(t, held[0].Close())
	require.Eventually(t, func() bool { return say(t, s, ask).StatusCode == http.StatusOK }, patience, time.Millisecond, "a place is free again")
}

func TestBeyondTheReserveNobodyIsHeard(t *testing.T) {
	s := serve(t, httpserver.Config{Handler: served, DrainLimit: patience, MaxConns: 1, HeaderTimeout: patience})
	hold(t, s, 1+2*64)
	conn := dial(t, s)
	_, _ = conn.Write([]byte(ask))
	_, err := conn.Read(make([]byte, 1))
	require.Error(t, err)
	require.NotErrorIs(t, err, os.ErrDeadlineExceeded)
}

// Near the limit no connection stays idle, so that every client gets a turn.
func TestNearTheBoundConnectionsAreNotKept(t *testing.T) {
	s := serve(t, httpserver.Config{Handler: served, DrainLimit: patience, MaxConns: 8, HeaderTimeout: patience})
	hold(t, s, 6)
	require.False(t, say(t, s, ask).Close)
	res := say(t, s, ask)
	require.Equal(t, http.StatusOK, res.StatusCode)
	require.True(t, res.Close)
}
