package httpserver_test

import (
	"bufio"
	"bytes"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/httpserver"
)

// A panic is logged and closes the connection, except the one that only closes it.
func TestAPanicClosesTheConnection(t *testing.T) {
	for name, value := range map[string]any{"panic in a handler": "defect", "": http.ErrAbortHandler} {
		var logged bytes.Buffer
		lis, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_ = httpserver.Serve(t.Context(), lis, httpserver.Config{
				Log: slog.New(slog.NewTextHandler(&logged, nil)), DrainLimit: patience,
				Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					_, _ = io.WriteString(w, "partial")
					_ = http.NewResponseController(w).Flush()
					panic(value)
				}),
			})
		}()
		conn, err := net.Dial("tcp", lis.Addr().String())
		require.NoError(t, err)
		_, err = conn.Write([]byte(ask))
		require.NoError(t, err)
		all, err := io.ReadAll(conn)
		require.NoError(t, err)
		require.True(t, strings.HasSuffix(string(all), "7\r\npartial\r\n"), "the client sees that the end is missing")
		require.NoError(t, lis.Close())
		<-ended
		require.Contains(t, logged.String(), name)
		require.Equal(t, name == "", logged.Len() == 0)
	}
}

// A panic outside of a handler ends its connection alone.
func TestAPanicOutsideOfHandlersEndsOneConnection(t *testing.T) {
	s := serve(t, httpserver.Config{Handler: served, DrainLimit: patience, RequestID: func() string { panic("defect") }})
	conn := dial(t, s)
	_, err := conn.Write([]byte("nonsense\r\n\r\n"))
	require.NoError(t, err)
	_, err = conn.Read(make([]byte, 1))
	require.ErrorIs(t, err, io.EOF)
	require.Equal(t, "served /ask", body(t, say(t, s, ask)))
}

// A stopping server closes idle connections at once, but not one whose request is arriving.
func TestStoppingClosesOnlyIdleConnections(t *testing.T) {
	s := serve(t, httpserver.Config{Handler: served, DrainLimit: patience, HeaderTimeout: patience})
	silent, idle, arriving := dial(t, s), dial(t, s), dial(t, s)
	_, err := idle.Write([]byte(ask))
	require.NoError(t, err)
	r := bufio.NewReader(idle)
	require.Equal(t, http.StatusOK, read(t, r).StatusCode)
	_, err = arriving.Write([]byte(ask + "GET /rest HTTP/1.1\r\n"))
	require.NoError(t, err)
	next := bufio.NewReader(arriving)
	require.Equal(t, http.StatusOK, read(t, next).StatusCode)
	s.stop()
	for _, conn := range []net.Conn{silent, idle} {
		_, err = conn.Read(make([]byte, 1))
		require.ErrorIs(t, err, io.EOF)
	}
	_, err = arriving.Write([]byte("Host: h\r\n\r\n"))
	require.NoError(t, err)
	res := read(t, next)
	require.Equal(t, "served /rest", body(t, res))
	require.True(t, res.Close)
	s.wait(t)
}

// A request that has begun to arrive while the previous one is served is served, too, although the server
// has begun to stop meanwhile.
func TestStoppingServesARequestThatHasBegun(t *testing.T) {
	running, release := make(chan struct{}), make(chan struct{})
	s := serve(t, httpserver.Config{DrainLimit: patience, HeaderTimeout: patience, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/first" {
			close(running)
			<-release
		}
		served(w, r)
	})})
	silent, conn := dial(t, s), dial(t, s)
	_, err := conn.Write([]byte("GET /first HTTP/1.1\r\nHost: h\r\n\r\nGET /second HTTP/1.1\r\n"))
	require.NoError(t, err)
	<-running
	s.stop()
	_, err = silent.Read(make([]byte, 1))
	require.ErrorIs(t, err, io.EOF, "the server closes idle connections")
	close(release)
	r := bufio.NewReader(conn)
	require.Equal(t, "served /first", body(t, read(t, r)))
	_, err = conn.Write([]byte("Host: h\r\n\r\n"))
	require.NoError(t, err)
	require.Equal(t, "served /second", body(t, read(t, r)))
	s.wait(t)
}
