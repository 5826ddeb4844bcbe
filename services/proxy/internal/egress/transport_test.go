package egress

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// upstream serves one connection after the other, each with its own function.
type upstream struct {
	url   string
	conns atomic.Int64
}

type script func(t *testing.T, c net.Conn, r *bufio.Reader)

func listen(t *testing.T, plays ...script) *upstream {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	u := &upstream{url: "http://" + l.Addr().String() + "/v1"}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, play := range plays {
			c, err := l.Accept()
			if err != nil {
				return
			}
			u.conns.Add(1)
			play(t, c, bufio.NewReader(c))
			_ = c.Close()
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		<-done
	})
	return u
}

// answer sends the same response to every request until the connection ends.
func answer(text string) script {
	return func(_ *testing.T, c net.Conn, r *bufio.Reader) {
		for {
			req, err := http.ReadRequest(r)
			if err != nil {
				return
			}
			_, _ = io.Copy(io.Discard, req.Body)
			_, _ = io.WriteString(c, text)
		}
	}
}

// once responds to one request and closes.
func once(text string) script {
	return func(_ *testing.T, c net.Conn, r *bufio.Reader) {
		req, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, req.Body)
		_, _ = io.WriteString(c, text)
	}
}

func transport(t *testing.T) *Transport {
	t.Helper()
	c := New(Config{AllowPrivate: true})
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// posted returns a call with a body in two pieces.
func posted(t *testing.T, to, body string) Post {
	t.Helper()
	u, err := url.Parse(to)
	require.NoError(t, err)
	half := len(body) / 2
	return Post{To: NewAddress(u), With: NewFields(http.Header{}), Pieces: [][]byte{[]byte(body[:half]), []byte(body[half:])}}
}

func post(ctx context.Context, t *testing.T, c *Transport, url, body string) (HTTPResponse, error) {
	t.Helper()
	return c.Call(ctx, posted(t, url, body))
}

func read(t *testing.T, resp HTTPResponse) string {
	t.Helper()
	b, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return string(b)
}

const (
	plainAnswer   = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
	chunkedAnswer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"
)

func TestConnectionIsReused(t *testing.T) {
	for name, give := range map[string]string{
		"length":  plainAnswer,
		"chunked": chunkedAnswer,
		"interim": "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + plainAnswer,
	} {
		t.Run(name, func(t *testing.T) {
			u := listen(t, answer(give))
			c := transport(t)
			for range 3 {
				resp, err := post(t.Context(), t, c, u.url, "x")
				require.NoError(t, err)
				require.Equal(t, "hello", read(t, resp))
			}
			require.EqualValues(t, 1, u.conns.Load())
			c.CloseIdleConnections()
		})
	}
}

func TestConnectionIsNotReused(t *testing.T) {
	for name, give := range map[string]string{
		"close":    "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello",
		"old":      "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello",
		"to EOF":   "HTTP/1.1 200 OK\r\n\r\nhello",
		"trailing": plainAnswer + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil",
	} {
		t.Run(name, func(t *testing.T) {
			u := listen(t, once(give), once(plainAnswer))
			c := transport(t)
			for range 2 {
				resp, err := post(t.Context(), t, c, u.url, "x")
				require.NoError(t, err)
				require.Equal(t, "hello", read(t, resp))
			}
			require.EqualValues(t, 2, u.conns.Load())
		})
	}
}

// A reused connection that the upstream has closed must not fail a call.
// A connection serves calls with different methods, also if they have no body.
func TestOtherMethods(t *testing.T) {
	var seen []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		seen = append(seen, r.Method+" "+r.URL.RequestURI()+" "+string(body))
		_, _ = io.WriteString(w, "hello")
	}))
	defer server.Close()
	u, err := url.Parse(server.URL + "/a?b=c")
	require.NoError(t, err)
	for _, c := range []Caller{transport(t), WrapTransport(http.DefaultTransport)} {
		for _, method := range []string{http.MethodGet, http.MethodDelete, http.MethodPost} {
			resp, err := c.Call(t.Context(), Post{To: NewMethodAddress(method, u), With: NewFields(http.Header{})})
			require.NoError(t, err)
			require.Equal(t, "hello", read(t, resp))
		}
	}
	require.Equal(t, []string{"GET /a?b=c ", "DELETE /a?b=c ", "POST /a?b=c ", "GET /a?b=c ", "DELETE /a?b=c ", "POST /a?b=c "}, seen)
}

func TestClosedConnectionIsNotUsed(t *testing.T) {
	closed := make(chan struct{})
	u := listen(t, func(t *testing.T, c net.Conn, r *bufio.Reader) {
		once(plainAnswer)(t, c, r)
		_ = c.Close()
		close(closed)
	}, once(plainAnswer))
	c := transport(t)
	resp, err := post(t.Context(), t, c, u.url, "x")
	require.NoError(t, err)
	require.Equal(t, "hello", read(t, resp))
	<-closed
	resp, err = post(t.Context(), t, c, u.url, "x")
	require.NoError(t, err)
	require.Equal(t, "hello", read(t, resp))
}

func TestRequestArrivesWhole(t *testing.T) {
	for name, size := range map[string]int{"empty": 0, "short": 1, "one write": oneWrite, "long": oneWrite + 1, "megabytes": 5 << 20} {
		t.Run(name, func(t *testing.T) {
			got := make(chan *http.Request, 1)
			body := make(chan string, 1)
			u := listen(t, func(_ *testing.T, c net.Conn, r *bufio.Reader) {
				req, err := http.ReadRequest(r)
				if err != nil {
					return
				}
				b, _ := io.ReadAll(req.Body)
				got <- req
				body <- string(b)
				_, _ = io.WriteString(c, plainAnswer)
			})
			want := strings.Repeat("y", size)
			p := posted(t, u.url+"/a%2Fb?q=1", want)
			p.With = NewFields(http.Header{"Accept": {"a/b"}, "X-Odd": {"one\r\nEvil: 1", "two"}})
			resp, err := transport(t).Call(t.Context(), p)
			require.NoError(t, err)
			require.Equal(t, "hello", read(t, resp))
			seen := <-got
			require.Equal(t, "/v1/a%2Fb?q=1", seen.RequestURI)
			require.Equal(t, p.To.url.Host, seen.Host)
			require.Equal(t, "a/b", seen.Header.Get("Accept"))
			require.Equal(t, []string{"oneEvil: 1", "two"}, seen.Header.Values("X-Odd"))
			require.EqualValues(t, size, seen.ContentLength)
			require.Equal(t, want, <-body)
		})
	}
}

// An upstream may reject a body without reading it. Its error must be returned.
func TestEarlyRefusalIsRead(t *testing.T) {
	u := listen(t, func(_ *testing.T, c net.Conn, r *bufio.Reader) {
		_, _ = http.ReadRequest(r)
		_, _ = io.WriteString(c, "HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbig")
		_ = c.(*net.TCPConn).CloseWrite()
		_, _ = io.CopyN(io.Discard, r, 64<<10)
	})
	resp, err := post(t.Context(), t, transport(t), u.url, strings.Repeat("y", 256<<10))
	require.NoError(t, err)
	require.Equal(t, http.StatusRequestEntityTooLarge, resp.Status)
	require.Equal(t, "big", read(t, resp))
}

func TestContextEndsACall(t *testing.T) {
	for name, give := range map[string]string{"before the head": "", "in the body": "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe"} {
		t.Run(name, func(t *testing.T) {
			gone := make(chan struct{})
			ctx, cancel := context.WithCancel(t.Context())
			u := listen(t, func(_ *testing.T, c net.Conn, r *bufio.Reader) {
				_, _ = http.ReadRequest(r)
				_, _ = io.WriteString(c, give)
				cancel()
				_, _ = io.Copy(io.Discard, r)
				close(gone)
			})
			resp, err := post(ctx, t, transport(t), u.url, "x")
			if err == nil {
				_, err = io.ReadAll(resp.Body)
				_ = resp.Body.Close()
			}
			require.Error(t, err)
			<-gone
		})
	}
}

func TestEndlessHeadIsRefused(t *testing.T) {
	u := listen(t, once("HTTP/1.1 200 OK\r\nX-Long: "+strings.Repeat("z", maxHeader)+"\r\n\r\n"))
	_, err := post(t.Context(), t, transport(t), u.url, "x")
	require.ErrorIs(t, err, errHeaderTooLong)
}

func TestCloseDropsAndFinishKeeps(t *testing.T) {
	stream := "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
	for name, tt := range map[string]struct {
		rest  string
		end   func(*Body)
		conns int64
	}{
		"closed":               {"", func(b *Body) { _ = b.Close() }, 2},
		"finished, all there":  {"0\r\n\r\n", (*Body).Finish, 1},
		"finished, much more":  {"ffff\r\n" + strings.Repeat("a", 0xffff) + "\r\n0\r\n\r\n", (*Body).Finish, 2},
		"finished, then close": {"0\r\n\r\n", func(b *Body) { b.Finish(); _ = b.Close() }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			u := listen(t, answer(stream+tt.rest), answer(plainAnswer))
			c := transport(t)
			resp, err := post(t.Context(), t, c, u.url, "x")
			require.NoError(t, err)
			_, err = io.ReadFull(resp.Body, make([]byte, 5))
			require.NoError(t, err)
			body := resp.Body.(*Body)
			under := body.conn
			tt.end(body)
			c.settled(t, under)
			resp, err = post(t.Context(), t, c, u.url, "x")
			require.NoError(t, err)
			_, err = io.ReadFull(resp.Body, make([]byte, 5))
			require.NoError(t, err)
			require.NoError(t, resp.Body.Close())
			require.Equal(t, tt.conns, u.conns.Load())
			c.CloseIdleConnections()
		})
	}
}

// Finish does not block on a silent upstream and stops waiting soon.
func TestFinishDoesNotWait(t *testing.T) {
	gone := make(chan struct{})
	u := listen(t, func(_ *testing.T, c net.Conn, r *bufio.Reader) {
		_, _ = http.ReadRequest(r)
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello")
		_, _ = io.Copy(io.Discard, r)
		close(gone)
	})
	ctx, leave := context.WithCancel(t.Context())
	resp, err := post(ctx, t, transport(t), u.url, "x")
	require.NoError(t, err)
	_, err = io.ReadFull(resp.Body, make([]byte, 5))
	require.NoError(t, err)
	resp.Body.(*Body).Finish()
	leave()
	<-gone
}

func TestIdleConnectionsExpire(t *testing.T) {
	gone := make(chan struct{})
	u := listen(t, func(t *testing.T, c net.Conn, r *bufio.Reader) {
		answer(plainAnswer)(t, c, r)
		close(gone)
	})
	c := New(Config{AllowPrivate: true})
	c.pool.timeout = time.Millisecond
	resp, err := post(t.Context(), t, c, u.url, "x")
	require.NoError(t, err)
	require.Equal(t, "hello", read(t, resp))
	<-gone
}

func TestBodyErrorsAreTheConnections(t *testing.T) {
	u := listen(t, once("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello"))
	resp, err := post(t.Context(), t, transport(t), u.url, "x")
	require.NoError(t, err)
	_, err = io.ReadAll(resp.Body)
	require.True(t, errors.Is(err, io.ErrUnexpectedEOF))
	require.NoError(t, resp.Body.Close())
}
