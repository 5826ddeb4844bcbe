package httpserver_test

import (
	"bufio"
	"context"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"sync"
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

// So does a handler that has left the body to the server, and one that is reading it.
func TestARequestEndsWithItsClientWhateverIsRead(t *testing.T) {
	for name, serveBody := range map[string]http.HandlerFunc{
		"discarded": func(w http.ResponseWriter, _ *http.Request) { _ = http.NewResponseController(w).Flush() },
		"read":      func(_ http.ResponseWriter, r *http.Request) { _, _ = io.ReadAll(r.Body) },
	} {
		t.Run(name, func(t *testing.T) {
			running, ended := make(chan struct{}), make(chan struct{})
			s := serve(t, httpserver.Config{DrainLimit: patience, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				close(running)
				serveBody(w, r)
				<-r.Context().Done()
				close(ended)
			})})
			conn := dial(t, s)
			size := map[string]string{"discarded": "2", "read": "3"}[name]
			_, err := conn.Write([]byte("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: " + size + "\r\n\r\nhi"))
			require.NoError(t, err)
			<-running
			require.NoError(t, conn.Close())
			<-ended
		})
	}
}

// Other clients never receive what a handler writes after it has returned.
func TestALateWriteReachesNobody(t *testing.T) {
	var late sync.WaitGroup
	s := serve(t, httpserver.Config{DrainLimit: patience, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/ask" {
			served(w, r)
			return
		}
		w.WriteHeader(http.StatusOK)
		late.Go(func() {
			for range 200 {
				_, _ = io.WriteString(w, "secret")
			}
		})
	})})
	for range 200 {
		require.NotContains(t, <-get(s.url+"/late"), "served")
		require.Equal(t, "served /ask", body(t, say(t, s, ask)))
	}
	late.Wait()
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
		// A handler that waits returns just after the watch has started, a busy one around its start.
		if rand.IntN(2) == 0 {
			<-time.After(httpserver.WatchDelay)
		} else {
			spin(httpserver.WatchDelay)
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
			for i := range 600 {
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

func spin(d time.Duration) {
	for until := time.Now().Add(d); time.Now().Before(until); {
		continue
	}
}
