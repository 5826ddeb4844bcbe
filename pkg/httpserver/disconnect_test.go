package httpserver_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/httpserver"
)

// A handler that runs for long learns that its client has disconnected, after the body has been read.
func TestALongRequestEndsWithItsClient(t *testing.T) {
	for name, raw := range map[string]string{
		"no body": "GET / HTTP/1.1\r\nHost: h\r\n\r\n",
		"length":  "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi",
		"chunked": "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			running, cause := make(chan struct{}), make(chan error, 1)
			s := serve(t, httpserver.Config{DrainLimit: patience, Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				close(running)
				<-r.Context().Done()
				cause <- context.Cause(r.Context())
			})})
			conn := dial(t, s)
			_, err := conn.Write([]byte(raw))
			require.NoError(t, err)
			<-running
			require.NoError(t, conn.Close())
			require.ErrorIs(t, <-cause, context.Canceled)
		})
	}
}

// The context of a request ends with its handler, and that of the next request is a new one.
func TestContextsEndWithTheirRequest(t *testing.T) {
	contexts := make(chan context.Context, 2)
	s := serve(t, httpserver.Config{DrainLimit: patience, Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		contexts <- r.Context()
		if r.Context().Err() != nil {
			panic("the context of a request ended before its handler")
		}
	})})
	conn := dial(t, s)
	r := bufio.NewReader(conn)
	for range 2 {
		_, err := conn.Write([]byte(ask))
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, read(t, r).StatusCode)
		<-(<-contexts).Done()
	}
}

// The watch for a disconnected client starts while some handlers return. It must neither lose bytes of
// the next request nor cancel it.
func TestTheWatchLosesNoRequest(t *testing.T) {
	s := serve(t, httpserver.Config{DrainLimit: patience, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		for until := time.Now().Add(httpserver.WatchDelay); time.Now().Before(until); {
			continue
		}
		if r.Context().Err() == nil {
			_, _ = w.Write(b)
		}
	})})
	conns := make(chan net.Conn, 4)
	for range cap(conns) {
		conns <- dial(t, s)
	}
	for range cap(conns) {
		t.Run("connection", func(t *testing.T) {
			t.Parallel()
			conn := <-conns
			r := bufio.NewReader(conn)
			for i := range 1000 {
				want := strconv.Itoa(i)
				request := "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: " + strconv.Itoa(len(want)) + "\r\n\r\n" + want
				_, err := conn.Write([]byte(request))
				require.NoError(t, err)
				_, err = conn.Write([]byte(request)) // arrives while the first one is served
				require.NoError(t, err)
				require.Equal(t, want, body(t, read(t, r)))
				require.Equal(t, want, body(t, read(t, r)))
			}
		})
	}
}
