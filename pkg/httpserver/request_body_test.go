package httpserver_test

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/httpserver"
)

// A client that asks whether to send its body is told so when the handler reads it, and not otherwise.
func TestABodyIsAskedForWhenItIsRead(t *testing.T) {
	s := serve(t, httpserver.Config{DrainLimit: patience, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/read" {
			b, _ := io.ReadAll(r.Body)
			_, _ = w.Write(b)
		}
	})})
	const rest = " HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"
	conn := dial(t, s)
	r := bufio.NewReader(conn)
	_, err := conn.Write([]byte("POST /read" + rest))
	require.NoError(t, err)
	line, err := r.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "HTTP/1.1 100 Continue\r\n", line)
	_, _ = r.ReadString('\n')
	_, err = conn.Write([]byte("helloPOST /ignore" + rest))
	require.NoError(t, err)
	require.Equal(t, "hello", body(t, read(t, r)))
	require.True(t, read(t, r).Close, "the client may send the body or the next request")
}

// After the headers of the final response, "100 Continue" would be a part of its body.
func TestABodyIsNotAskedForAfterTheResponse(t *testing.T) {
	const raw = "POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\nhello"
	got := exchangeRaw(t, raw, func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Content-Type"] = []string{"a/b"}
		_ = http.NewResponseController(w).Flush()
		b, _ := io.ReadAll(r.Body)
		_, _ = w.Write(b)
	})
	require.Equal(t, "HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\nhello\r\n0\r\n\r\n", got)
}

// What a handler leaves of a body is not taken for the next request.
func TestUnreadBodies(t *testing.T) {
	s := serve(t, httpserver.Config{Handler: served, DrainLimit: patience})
	for _, tt := range []struct {
		name   string
		size   int
		isKept bool
	}{{"short", 10, true}, {"long", 200 << 10, true}, {"too long", 300 << 10, false}} {
		t.Run(tt.name, func(t *testing.T) {
			content := strings.Repeat(ask, tt.size/len(ask)+1)[:tt.size]
			size := strconv.Itoa(tt.size)
			chunks := strconv.FormatInt(int64(tt.size), 16) + "\r\n" + content + "\r\n0\r\n\r\n"
			for _, raw := range []string{"Content-Length: " + size + "\r\n\r\n" + content, "Transfer-Encoding: chunked\r\n\r\n" + chunks} {
				conn := dial(t, s)
				go func() {
					_, _ = conn.Write([]byte("POST /a HTTP/1.1\r\nHost: h\r\n" + raw + "GET /next HTTP/1.1\r\nHost: h\r\n\r\n"))
				}()
				r := bufio.NewReader(conn)
				res := read(t, r)
				require.Equal(t, "served /a", body(t, res))
				require.Equal(t, !tt.isKept, res.Close)
				if tt.isKept {
					require.Equal(t, "served /next", body(t, read(t, r)))
					continue
				}
				rest, _ := io.ReadAll(r) // the server may reset the connection
				require.Empty(t, string(rest))
			}
		})
	}
}

// The response to a request whose body is too long reaches a client that still sends.
func TestARejectionIsReadWhileTheBodyIsSent(t *testing.T) {
	s := serve(t, httpserver.Config{DrainLimit: patience, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<10))
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
	})})
	req, err := http.NewRequest(http.MethodPost, s.url, bytes.NewReader(make([]byte, 4<<20)))
	require.NoError(t, err)
	res, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(t, err)
	require.Equal(t, http.StatusRequestEntityTooLarge, res.StatusCode)
	require.NoError(t, res.Body.Close())
}

// A handler's deadline for the body ends a read, and does not last for the next request.
func TestBodiesHaveTheDeadlineOfTheirHandler(t *testing.T) {
	s := serve(t, httpserver.Config{DrainLimit: patience, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/late" {
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(50 * time.Millisecond))
		}
		if _, err := io.ReadAll(r.Body); err != nil {
			w.Header().Set("Connection", "close")
			w.WriteHeader(http.StatusRequestTimeout)
		}
	})})
	conn := dial(t, s)
	r := bufio.NewReader(conn)
	for _, head := range []string{"POST /late HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi", "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi"} {
		_, err := conn.Write([]byte(head))
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, read(t, r).StatusCode)
	}
	_, err := conn.Write([]byte("POST /late HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nh"))
	require.NoError(t, err)
	require.Equal(t, http.StatusRequestTimeout, read(t, r).StatusCode)
}

// The timeout of the headers does not last for the body.
func TestABodyMayArriveAfterTheTimeoutOfTheHeaders(t *testing.T) {
	t.Parallel()
	reading := make(chan struct{})
	s := serve(t, httpserver.Config{DrainLimit: patience, HeaderTimeout: lateHeaders, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(reading)
		b, _ := io.ReadAll(r.Body)
		_, _ = w.Write(b)
	})})
	conn := dial(t, s)
	_, err := conn.Write([]byte("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nh"))
	require.NoError(t, err)
	<-reading
	<-time.After(lateHeaders)
	_, err = conn.Write([]byte("i"))
	require.NoError(t, err)
	require.Equal(t, "hi", body(t, read(t, bufio.NewReader(conn))))
}
