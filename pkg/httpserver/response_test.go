package httpserver_test

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/httpserver"
)

// tally counts the writes to the connections of a listener.
type tally struct {
	net.Listener
	mu     sync.Mutex
	writes int
}

func (l *tally) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return &tallied{Conn: c, l: l}, err
}

func (l *tally) take() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.writes
	l.writes = 0
	return n
}

type tallied struct {
	net.Conn
	l *tally
}

func (c *tallied) Write(b []byte) (int, error) {
	c.l.mu.Lock()
	c.l.writes++
	c.l.mu.Unlock()
	return c.Conn.Write(b)
}

func TestWhatIsGatheredLeavesInOnePiece(t *testing.T) {
	text := strings.Repeat("0123456789abcdef", 640)
	write := func(w http.ResponseWriter, n int) {
		_, _ = w.Write([]byte(strings.Repeat(text, n)))
	}
	tests := []struct {
		name   string
		serve  http.HandlerFunc
		bytes  int
		writes int
	}{
		{"up to the end", func(w http.ResponseWriter, r *http.Request) {
			httpserver.Gather(w)
			write(w, 1)
		}, 1, 1},
		{"by turns", func(w http.ResponseWriter, r *http.Request) {
			for range 2 {
				httpserver.Gather(w)
				write(w, 1)
				_ = http.NewResponseController(w).Flush()
				_ = httpserver.Release(w)
			}
			httpserver.Gather(w)
			write(w, 1)
		}, 3, 3},
		{"beyond the bound", func(w http.ResponseWriter, r *http.Request) {
			httpserver.Gather(w)
			httpserver.Gather(w)
			write(w, 10)
		}, 10, 5}, // without this test's listener, the first four are one system call
		{"on a connection that is closed", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Connection", "close")
			httpserver.Gather(w)
			write(w, 1)
		}, 1, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			raw, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			lis := &tally{Listener: raw}
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			go func() {
				_ = httpserver.Serve(ctx, lis, httpserver.Config{Handler: tt.serve, Log: slog.New(slog.DiscardHandler)})
			}()
			for range 2 {
				require.Equal(t, strings.Repeat(text, tt.bytes), <-get("http://"+raw.Addr().String()))
				require.Equal(t, tt.writes, lis.take())
			}
		})
	}
}

// A handler's deadline for the response does not last for the next one.
func TestResponsesHaveTheDeadlineOfTheirHandler(t *testing.T) {
	s := serve(t, httpserver.Config{DrainLimit: patience, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		w.Header().Set("Content-Length", "2")
		_, _ = io.WriteString(w, "hi")
		_ = control.Flush()
		if r.URL.Path == "/late" {
			_ = control.SetWriteDeadline(time.Unix(1, 0))
		}
	})})
	conn := dial(t, s)
	r := bufio.NewReader(conn)
	for _, path := range []string{"/late", "/next"} {
		_, err := conn.Write([]byte("GET " + path + " HTTP/1.1\r\nHost: h\r\n\r\n"))
		require.NoError(t, err)
		require.Equal(t, "hi", body(t, read(t, r)))
	}
}
