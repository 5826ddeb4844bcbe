package egress

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const patience = 20 * time.Second

// late responds to one request and closes when the next one arrives.
func late(text string) script {
	return func(t *testing.T, c net.Conn, r *bufio.Reader) {
		once(text)(t, c, r)
		if req, err := http.ReadRequest(r); err == nil {
			_, _ = io.Copy(io.Discard, req.Body)
		}
	}
}

// echo responds with the length of the body.
func echo(_ *testing.T, c net.Conn, r *bufio.Reader) {
	req, err := http.ReadRequest(r)
	if err != nil {
		return
	}
	b, _ := io.ReadAll(req.Body)
	_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
	_, _ = c.Write(b)
}

// bodySizes are the sizes of bodies that are written in different ways.
var bodySizes = map[string]int{"empty": 0, "one write": 10, "two writes": oneWrite + 1, "reading meanwhile": maxUnread + 1}

// If the upstream closes a reused connection after the request was written, the call fails, because
// the upstream may have executed it. The next call uses a new connection.
func TestWrittenRequestIsSentOnce(t *testing.T) {
	for name, size := range bodySizes {
		t.Run(name, func(t *testing.T) {
			u := listen(t, late(plainAnswer), echo)
			c := transport(t)
			resp, err := post(t.Context(), t, c, u.url, "x")
			require.NoError(t, err)
			require.Equal(t, "hello", read(t, resp))
			want := strings.Repeat("y", size)
			_, err = post(t.Context(), t, c, u.url, want)
			require.True(t, requirePhase(t, err, PhaseRequest).Stale)
			require.EqualValues(t, 1, u.conns.Load())
			resp, err = post(t.Context(), t, c, u.url, want)
			require.NoError(t, err)
			require.Equal(t, want, read(t, resp))
		})
	}
}

// A dead idle connection that is noticed before the first byte was written does not fail the call.
func TestUnwrittenRequestUsesANewConnection(t *testing.T) {
	for name, size := range bodySizes {
		t.Run(name, func(t *testing.T) {
			u := listen(t, once(plainAnswer), echo)
			c := transport(t)
			resp, err := post(t.Context(), t, c, u.url, "x")
			require.NoError(t, err)
			require.Equal(t, "hello", read(t, resp))
			for _, idle := range c.pool.idle {
				idle[0].isReusable = func() bool { return true }
				require.NoError(t, idle[0].Conn.(*net.TCPConn).CloseWrite())
			}
			want := strings.Repeat("y", size)
			resp, err = post(t.Context(), t, c, u.url, want)
			require.NoError(t, err)
			require.Equal(t, want, read(t, resp))
			require.EqualValues(t, 2, u.conns.Load())
		})
	}
}

// After a stale connection, the connections that were idle for longer are closed too.
func TestStaleConnectionEmptiesThePool(t *testing.T) {
	u := listen(t, late(plainAnswer))
	c := transport(t)
	resp, err := post(t.Context(), t, c, u.url, "x")
	require.NoError(t, err)
	require.Equal(t, "hello", read(t, resp))
	key := posted(t, u.url, "").To.key
	older, gone := net.Pipe()
	old := newConn(older, key, &c.pool)
	c.pool.idle[key] = append([]*conn{old}, c.pool.idle[key]...)
	c.pool.count++
	_, err = post(t.Context(), t, c, u.url, "x")
	require.True(t, requirePhase(t, err, PhaseRequest).Stale)
	_, err = gone.Read(make([]byte, 1))
	require.ErrorIs(t, err, io.EOF)
	require.Zero(t, c.pool.count)
}

func TestLostConnectionsThatAreNotStale(t *testing.T) {
	half := func(t *testing.T, c net.Conn, r *bufio.Reader) {
		late(plainAnswer)(t, c, r)
		_, _ = io.WriteString(c, "HTTP/1.1 200")
	}
	fresh := func(_ *testing.T, _ net.Conn, r *bufio.Reader) { _, _ = http.ReadRequest(r) }
	for name, plays := range map[string][]script{
		"an answer had begun":    {half, echo},
		"the connection was new": {once("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello"), fresh, echo},
	} {
		t.Run(name, func(t *testing.T) {
			u := listen(t, plays...)
			c := transport(t)
			resp, err := post(t.Context(), t, c, u.url, "x")
			require.NoError(t, err)
			require.Equal(t, "hello", read(t, resp))
			_, err = post(t.Context(), t, c, u.url, "x")
			require.False(t, requirePhase(t, err, PhaseRequest).Stale)
			require.EqualValues(t, len(plays)-1, u.conns.Load())
			c.CloseIdleConnections()
		})
	}
}

// An upstream rejects a long body and keeps the connection open. The response must be read at once, and
// the body must not be used afterwards.
func TestRefusalIsHeardWhileWriting(t *testing.T) {
	u := listen(t, func(_ *testing.T, c net.Conn, r *bufio.Reader) {
		_, _ = http.ReadRequest(r)
		_, _ = io.WriteString(c, "HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nbig")
		<-t.Context().Done()
	})
	body := bytes.Repeat([]byte("y"), 64<<20)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	p := posted(t, u.url, "")
	p.Pieces = [][]byte{body}
	resp, err := transport(t).Call(ctx, p)
	require.NoError(t, err)
	require.NoError(t, ctx.Err(), "at once, not when time is up")
	clear(body) // the race detector reports any later read
	require.Equal(t, http.StatusRequestEntityTooLarge, resp.Status)
	require.Equal(t, "big", read(t, resp))
}

// An upstream that responds early and continues to read gets the whole body.
func TestAnEarlyResponseGetsTheWholeBody(t *testing.T) {
	got := make(chan int64, 1)
	u := listen(t, func(_ *testing.T, c net.Conn, r *bufio.Reader) {
		req, _ := http.ReadRequest(r)
		_, _ = io.WriteString(c, plainAnswer)
		n, _ := io.Copy(io.Discard, req.Body)
		got <- n
		answer(plainAnswer)(t, c, r)
	})
	c := transport(t)
	resp, err := post(t.Context(), t, c, u.url, strings.Repeat("y", 64<<20))
	require.NoError(t, err)
	require.Equal(t, "hello", read(t, resp))
	require.EqualValues(t, 64<<20, <-got)
	resp, err = post(t.Context(), t, c, u.url, "x")
	require.NoError(t, err)
	require.Equal(t, "hello", read(t, resp))
	require.EqualValues(t, 1, u.conns.Load(), "the connection is reused")
	c.CloseIdleConnections()
}

func TestContextEndsLongWriting(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	u := listen(t, func(_ *testing.T, _ net.Conn, r *bufio.Reader) {
		_, _ = http.ReadRequest(r)
		cancel()
		<-t.Context().Done()
	})
	_, err := post(ctx, t, transport(t), u.url, strings.Repeat("y", 64<<20))
	require.Error(t, err)
}

// The received part of a chunked response is passed on, even if its end is missing.
func TestNothingWaitsForTheTrailer(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	for name, tt := range map[string]struct {
		now, later string
		conns      int64
	}{
		"end of the chunk":    {"5\r\nhello", "\r\n0\r\n\r\n", 1},
		"last chunk":          {"5\r\nhello\r\n", "0\r\n\r\n", 1},
		"last chunk's length": {"5\r\nhello\r\n0", "\r\n\r\n", 1},
		"blank line":          {"5\r\nhello\r\n0\r\n", "\r\n", 1},
		"half of it":          {"5\r\nhello\r\n0\r\n\r", "\n", 1},
		"trailer":             {"5\r\nhello\r\n0\r\n", "A: b\r\n\r\n", 1},
		"trailer arrived":     {"5\r\nhello\r\n0\r\nA: b\r\n\r\n", "", 1},
		"bare line feed":      {"5\r\nhello\r\n0\r\n", "\n", 2},
		"no field":            {"5\r\nhello\r\n0\r\n", "no colon\r\n\r\n", 2},
		"line of blanks":      {"5\r\nhello\r\n0\r\n", " \r\n", 2},
		"endless trailer":     {"5\r\nhello\r\n0\r\n", strings.Repeat("A: b\r\n", 100), 2},
		"something behind it": {"5\r\nhello\r\n0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil", "", 2},
	} {
		t.Run(name, func(t *testing.T) {
			seen := make(chan struct{})
			u := listen(t, func(t *testing.T, c net.Conn, r *bufio.Reader) {
				once(head+tt.now)(t, c, r)
				<-seen
				_, _ = io.WriteString(c, tt.later)
				answer(plainAnswer)(t, c, r)
			}, answer(plainAnswer))
			c := transport(t)
			c.pool.trailingBytesTimeout = patience
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			resp, err := post(ctx, t, c, u.url, "x")
			require.NoError(t, err)
			got := make([]byte, 64)
			n, _ := resp.Body.Read(got)
			require.Equal(t, "hello", string(got[:n]))
			close(seen)
			resp.Body.(*Body).Finish()
			c.settled(t, resp.Body.(*Body).conn)
			resp, err = post(t.Context(), t, c, u.url, "x")
			require.NoError(t, err)
			require.Equal(t, "hello", read(t, resp))
			require.Equal(t, tt.conns, u.conns.Load())
			c.CloseIdleConnections()
		})
	}
}

// settled waits until the connection is in the pool or closed.
func (t *Transport) settled(test *testing.T, c *conn) {
	test.Helper()
	under := c.Conn
	if secured, ok := under.(*tls.Conn); ok {
		under = secured.NetConn()
	}
	raw, err := under.(*net.TCPConn).SyscallConn()
	require.NoError(test, err)
	require.Eventually(test, func() bool {
		t.pool.mu.Lock()
		defer t.pool.mu.Unlock()
		return t.pool.count > 0 || raw.Control(func(uintptr) {}) != nil
	}, patience, time.Millisecond)
}
