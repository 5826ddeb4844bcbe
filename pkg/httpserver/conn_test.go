package httpserver_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/httpserver"
)

// A panic is logged and closes the connection, except the one that only closes it.
func TestAPanicClosesTheConnection(t *testing.T) {
	for _, tt := range []struct {
		value    any
		isLogged bool
	}{{"defect", true}, {http.ErrAbortHandler, false}} {
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
					panic(tt.value)
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
		require.Equal(t, tt.isLogged, strings.Contains(logged.String(), "panic while serving a request"), logged.String())
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

// scarceListener has no file descriptor for the first connections.
type scarceListener struct {
	net.Listener
	failures int
}

func (l *scarceListener) Accept() (net.Conn, error) {
	if l.failures--; l.failures >= 0 {
		return nil, &net.OpError{Op: "accept", Err: syscall.EMFILE}
	}
	return l.Listener.Accept()
}

func TestConnectionsWaitForAFileDescriptor(t *testing.T) {
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	var logged bytes.Buffer
	go func() {
		ended <- httpserver.Serve(ctx, &scarceListener{lis, 3}, httpserver.Config{Handler: served, Log: slog.New(slog.NewTextHandler(&logged, nil)), DrainLimit: patience})
	}()
	require.Equal(t, "served /a", <-get("http://"+lis.Addr().String()+"/a"))
	stop()
	require.NoError(t, <-ended)
	require.Equal(t, 1, strings.Count(logged.String(), "file descriptor"), logged.String())
}
